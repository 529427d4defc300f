// All of a large flow in a corner, and the part of it that is in sight. Drawn once and not with every move: only the
// frame around what is in sight is moved. What is pressed in it comes into the middle.

import { Panel, useReactFlow } from "@xyflow/react";
import { type PointerEvent, useEffect, useRef } from "react";
import { useShownTheme } from "~/components/theme";
import { flows as text } from "~/text/en/flows";
import { NODE_HEIGHT, NODE_WIDTH } from "../layout";
import { type Pane, seenIn } from "./pane";
import { coloursOf, intersect, type Scene } from "./sketch";

const WIDTH = 200;
const HEIGHT = 150;
/** Pixels: so that a box is seen. */
const BOX_MIN = 1;
/** Of a wheel: this much halves or doubles what is seen. */
const DOUBLED_AT = 500;

interface OverviewProps {
  pane: Pane;
  scene: Scene;
  /** The view is about to be moved. */
  onMove: () => void;
}

export function Overview({ pane, scene, onMove }: OverviewProps) {
  const sheet = useRef<HTMLCanvasElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const { setCenter, zoomTo } = useReactFlow();
  const theme = useShownTheme();
  const { bounds } = scene;
  const scale = Math.min(WIDTH / Math.max(1, bounds.width), HEIGHT / Math.max(1, bounds.height));
  const [left, top] = [(WIDTH - bounds.width * scale) / 2, (HEIGHT - bounds.height * scale) / 2];

  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme has other colours
  useEffect(() => {
    const context = sheet.current?.getContext("2d") ?? null;
    if (sheet.current === null || context === null) return;
    sheet.current.width = WIDTH * devicePixelRatio;
    sheet.current.height = HEIGHT * devicePixelRatio;
    context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, left * devicePixelRatio, top * devicePixelRatio);
    const { plain: _, ...colours } = coloursOf(sheet.current);
    const [width, height] = [Math.max(BOX_MIN, NODE_WIDTH * scale), Math.max(BOX_MIN, NODE_HEIGHT * scale)];
    for (const { x, y, look } of scene.boxes) {
      context.fillStyle = look === "plain" ? colours.line : colours[look];
      context.fillRect((x - bounds.x) * scale, (y - bounds.y) * scale, width, height);
    }
  }, [scene, scale, left, top, theme]);

  useEffect(() => {
    const moved = () => {
      if (frame.current === null) return;
      const { x, y, width, height } = intersect(seenIn(pane).seen, bounds);
      const { style } = frame.current;
      style.transform = `translate(${left + (x - bounds.x) * scale}px, ${top + (y - bounds.y) * scale}px)`;
      style.width = `${width * scale}px`;
      style.height = `${height * scale}px`;
    };
    moved();
    return pane.onMove(moved);
  }, [pane, bounds, scale, left, top]);

  const centre = (event: PointerEvent<HTMLElement>) => {
    if (event.buttons === 0) return;
    const box = event.currentTarget.getBoundingClientRect();
    const x = bounds.x + (event.clientX - box.left - left) / scale;
    const y = bounds.y + (event.clientY - box.top - top) / scale;
    onMove();
    void setCenter(x, y, { zoom: seenIn(pane).zoom });
  };

  return (
    <Panel position="bottom-right" className="react-flow__minimap !hidden lg:!block">
      <div
        role="img"
        aria-label={text.canvas.minimap}
        className="relative cursor-grab overflow-hidden bg-surface"
        style={{ width: WIDTH, height: HEIGHT }}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          centre(event);
        }}
        onPointerMove={centre}
        onWheel={({ deltaY }) => {
          onMove();
          void zoomTo(seenIn(pane).zoom * 2 ** (-deltaY / DOUBLED_AT));
        }}
      >
        <canvas ref={sheet} aria-hidden style={{ width: WIDTH, height: HEIGHT }} />
        <div ref={frame} aria-hidden className="overview-frame pointer-events-none absolute top-0 left-0" />
      </div>
    </Panel>
  );
}
