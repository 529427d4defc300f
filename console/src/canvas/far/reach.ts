// The steps of a flow that is far away: in the page for keys and screen readers, but cut out of what is painted and hit,
// since a thousand boxes cost even if nothing is painted in them. One is let through: the step below the pointer, so that
// it can be pressed and dragged, or the one that has the focus of the keys, with its ring.

import { NODE_HEIGHT, NODE_WIDTH, type Point } from "../layout";
import { isFar, type Pane } from "./pane";
import { boxAt, type Scene } from "./sketch";

const NOTHING = "rect(0px, 0px, 0px, 0px)";
/** Room for the ring of the focus. */
const RING = 16;

/** Lets through what is to be reached until the returned function is called. */
export function reach(canvas: HTMLElement, steps: HTMLElement, pane: Pane, scene: Scene): () => void {
  const cut = (clip: string) => {
    if (steps.style.clip !== clip) steps.style.clip = clip;
  };
  const letThrough = (box: Point | undefined) => cut(box === undefined ? NOTHING : around(box));
  const moved = () => {
    if (!isFar(pane)) cut("");
    else if (steps.style.clip === "") cut(NOTHING);
  };
  const pointed = (event: PointerEvent) => {
    // What is being dragged or moved stays what it is.
    if (!isFar(pane) || (event.type === "pointermove" && event.buttons !== 0)) return;
    const { left, top } = canvas.getBoundingClientRect();
    const [x, y, zoom] = pane.now().transform;
    letThrough(boxAt(scene.boxes, { x: (event.clientX - left - x) / zoom, y: (event.clientY - top - y) / zoom }));
  };
  const focused = ({ target }: FocusEvent) => {
    if (!isFar(pane) || !(target instanceof HTMLElement) || !target.matches(".react-flow__node:focus-visible")) return;
    letThrough(scene.boxes.find((box) => box.id === target.dataset.id));
  };

  moved();
  const leave = pane.onMove(moved);
  canvas.addEventListener("pointermove", pointed, true);
  canvas.addEventListener("pointerdown", pointed, true);
  canvas.addEventListener("focusin", focused);
  return () => {
    leave();
    canvas.removeEventListener("pointermove", pointed, true);
    canvas.removeEventListener("pointerdown", pointed, true);
    canvas.removeEventListener("focusin", focused);
  };
}

function around({ x, y }: Point): string {
  return `rect(${y - RING}px, ${x + NODE_WIDTH + RING}px, ${y + NODE_HEIGHT + RING}px, ${x - RING}px)`;
}
