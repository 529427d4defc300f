// What of the flow is in sight, and how large. The picture and what can be reached in it follow the same pane.

import type { Rect } from "./sketch";

export interface Pane {
  readonly now: () => {
    readonly transform: readonly [x: number, y: number, zoom: number];
    readonly width: number;
    readonly height: number;
  };
  /** Tells of each move until the returned function is called. */
  readonly onMove: (moved: () => void) => () => void;
  /** Below this zoom the flow is far. */
  readonly below: number;
}

export function isFar(pane: Pane): boolean {
  const { transform, width, height } = pane.now();
  return transform[2] < pane.below && width * height > 0;
}

export function seenIn(pane: Pane): { seen: Rect; zoom: number } {
  const {
    transform: [x, y, zoom],
    width,
    height,
  } = pane.now();
  return { seen: { x: -x / zoom, y: -y / zoom, width: width / zoom, height: height / zoom }, zoom };
}
