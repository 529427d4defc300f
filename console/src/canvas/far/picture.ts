// One picture of a flow on a sheet that the browser moves and stretches without painting. It is drawn again when
// something is seen that is not on it, when it is stretched too much, and sharp when the canvas rests.

import { isFar, type Pane, seenIn } from "./pane";
import { areaFor, coloursOf, type Drawn, hasWords, isEnough, type Scene, scaleFor, sketch } from "./sketch";

/** After the last move; then the picture is drawn as sharp as the screen is. */
const REST_MS = 150;

/** Keeps the picture on the sheet true until the returned function is called. */
export function hang(sheet: HTMLCanvasElement, pane: Pane, scene: Scene): () => void {
  const context = sheet.getContext("2d");
  if (context === null) return () => {};
  let drawn: Drawn | null = null;
  let frame = 0;
  let rest: ReturnType<typeof setTimeout> | undefined;

  const draw = () => {
    frame = 0;
    const { seen, zoom } = seenIn(pane);
    const area = areaFor(seen, scene.bounds);
    const scale = scaleFor(area, zoom, devicePixelRatio);
    sheet.width = Math.ceil(area.width * scale);
    sheet.height = Math.ceil(area.height * scale);
    // As large as it is on the screen, so that nothing is painted at another size on the way.
    sheet.style.width = `${sheet.width / devicePixelRatio}px`;
    sheet.style.height = `${sheet.height / devicePixelRatio}px`;
    sheet.style.transform = `translate(${area.x}px, ${area.y}px) scale(${devicePixelRatio / scale})`;
    sketch(context, scene, area, scale, coloursOf(sheet), hasWords(zoom));
    drawn = { area, zoom };
  };
  const moved = () => {
    if (!isFar(pane)) return;
    const { seen, zoom } = seenIn(pane);
    clearTimeout(rest);
    if (drawn === null || !isEnough(drawn, seen, zoom, scene.bounds)) frame ||= requestAnimationFrame(draw);
    else if (drawn.zoom !== zoom) rest = setTimeout(draw, REST_MS);
  };

  moved();
  const leave = pane.onMove(moved);
  return () => {
    leave();
    cancelAnimationFrame(frame);
    clearTimeout(rest);
  };
}
