// A large flow seen from far away, as a picture: boxes and lines, with titles where they can be read. Knows rectangles and a drawing context,
// neither React nor the page.

import { NODE_HEIGHT, NODE_WIDTH, type Point } from "../layout";

export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** How a box is shown. */
export type Look = "plain" | "wrong" | "chosen";

export interface Box extends Point {
  readonly id: string;
  readonly title: string;
  readonly look: Look;
}

/** From the right side of one box to the left side of another. */
export type Line = readonly [from: Point, to: Point];

export interface Scene {
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
  /** Holds all of it. */
  readonly bounds: Rect;
}

export interface Colours extends Readonly<Record<Look, string>> {
  readonly line: string;
  readonly box: string;
  readonly ink: string;
  /** Names of the family. */
  readonly font: string;
}

/** Drawn around what is seen, as a share of it: so far the canvas is moved without drawing again. */
const MARGIN = 0.5;
/** Of one picture: a screen of 4K with half of its margin. */
const PIXELS_MAX = 16_000_000;
/** A picture is shown this much larger or smaller than it was drawn before it is drawn again. */
const STRETCH_MAX = 1.5;
/** How far lines swing out, and borders go. */
const SWING = 160;
const LINE = 1.5;
/** Pixels, as are those below. */
const LINE_MIN = 0.35;
const BORDER_MIN = 0.6;
const CHOSEN_MIN = 2;
/** From this zoom on titles can be read. */
const WORDS_FROM = 0.24;
/** Of titles, in units of the flow: as large as two lines in a box may be. */
const FONT = 28;
const LEADING = 32;
const PADDING = 12;
/** Characters that a line has room for; a wider one is pressed together. */
const PER_LINE = 14;
/** Lines that are stroked at once; a path of all would be slow to fill in. */
const PER_PATH = 64;

export function boundsOf(points: readonly Point[]): Rect {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y } of points) {
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x + NODE_WIDTH);
    bottom = Math.max(bottom, y + NODE_HEIGHT);
  }
  if (left > right) return { x: 0, y: 0, width: 0, height: 0 };
  return { x: left - SWING, y: top - SWING, width: right - left + 2 * SWING, height: bottom - top + 2 * SWING };
}

export function intersect(a: Rect, b: Rect): Rect {
  const [x, y] = [Math.max(a.x, b.x), Math.max(a.y, b.y)];
  return {
    x,
    y,
    width: Math.max(0, Math.min(a.x + a.width, b.x + b.width) - x),
    height: Math.max(0, Math.min(a.y + a.height, b.y + b.height) - y),
  };
}

export function holds(outer: Rect, inner: Rect): boolean {
  const { x, y, width, height } = intersect(outer, inner);
  return (
    inner.width === 0 ||
    inner.height === 0 ||
    (x === inner.x && y === inner.y && width === inner.width && height === inner.height)
  );
}

/** The box at a place, the uppermost if there are several. */
export function boxAt(boxes: readonly Box[], { x, y }: Point): Box | undefined {
  return boxes.findLast((box) => x >= box.x && x <= box.x + NODE_WIDTH && y >= box.y && y <= box.y + NODE_HEIGHT);
}

/** A picture that was drawn: of which part of the flow, and for which zoom. */
export interface Drawn {
  readonly area: Rect;
  readonly zoom: number;
}

/** What to draw for what is seen. */
export function areaFor(seen: Rect, bounds: Rect): Rect {
  const [right, down] = [seen.width * MARGIN, seen.height * MARGIN];
  const around = { x: seen.x - right, y: seen.y - down, width: seen.width + 2 * right, height: seen.height + 2 * down };
  return intersect(around, bounds);
}

/** Whether a picture still shows everything that is seen, sharp enough for something that moves. */
export function isEnough({ area, zoom }: Drawn, seen: Rect, now: number, bounds: Rect): boolean {
  const stretch = now / zoom;
  return stretch <= STRETCH_MAX && stretch >= 1 / STRETCH_MAX / 2 && holds(area, intersect(seen, bounds));
}

/** Pixels for each unit of the flow. */
export function scaleFor(area: Rect, zoom: number, pixelRatio: number): number {
  return Math.min(zoom * pixelRatio, Math.sqrt(PIXELS_MAX / Math.max(1, area.width * area.height)));
}

/** Whether what is drawn for a zoom has titles. */
export function hasWords(zoom: number): boolean {
  return zoom >= WORDS_FROM;
}

/** A title in two lines at most, broken between words where that is possible. */
export function linesOf(title: string): string[] {
  const whole = title.trim();
  if (whole.length <= PER_LINE) return whole === "" ? [] : [whole];
  const space = whole.lastIndexOf(" ", PER_LINE);
  const first = whole.slice(0, space > 0 ? space : PER_LINE).trimEnd();
  const rest = whole.slice(first.length).trimStart();
  return [first, rest.length <= PER_LINE ? rest : `${rest.slice(0, PER_LINE - 1).trimEnd()}…`];
}

export function sketch(
  context: CanvasRenderingContext2D,
  scene: Scene,
  area: Rect,
  scale: number,
  colours: Colours,
  words: boolean,
): void {
  context.setTransform(scale, 0, 0, scale, -area.x * scale, -area.y * scale);
  context.strokeStyle = colours.line;
  context.lineWidth = Math.max(LINE, LINE_MIN / scale);
  let open = 0;
  context.beginPath();
  for (const [from, to] of scene.lines) {
    if (!isNear(area, from, to)) continue;
    const [x1, y1, x2, y2] = [from.x + NODE_WIDTH, from.y + NODE_HEIGHT / 2, to.x, to.y + NODE_HEIGHT / 2];
    const bend = Math.max(36, Math.abs(x2 - x1) / 2);
    context.moveTo(x1, y1);
    context.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2, y2);
    open += 1;
    if (open % PER_PATH !== 0) continue;
    context.stroke();
    context.beginPath();
  }
  context.stroke();
  for (const { x, y, look } of scene.boxes) {
    if (!isNear(area, { x, y }, { x, y })) continue;
    const border = look === "chosen" ? Math.max(2, CHOSEN_MIN / scale) : Math.max(1, BORDER_MIN / scale);
    context.fillStyle = colours[look];
    context.fillRect(x, y, NODE_WIDTH, NODE_HEIGHT);
    context.fillStyle = colours.box;
    context.fillRect(x + border, y + border, NODE_WIDTH - 2 * border, NODE_HEIGHT - 2 * border);
  }
  if (!words) return;
  context.fillStyle = colours.ink;
  context.font = `600 ${FONT}px ${colours.font}`;
  context.textBaseline = "middle";
  for (const { x, y, title } of scene.boxes) {
    if (!isNear(area, { x, y }, { x, y })) continue;
    const lines = linesOf(title);
    const top = y + (NODE_HEIGHT - (lines.length - 1) * LEADING) / 2;
    for (const [index, line] of lines.entries())
      context.fillText(line, x + PADDING, top + index * LEADING, NODE_WIDTH - 2 * PADDING);
  }
}

function isNear(area: Rect, a: Point, b: Point): boolean {
  return (
    Math.max(a.x, b.x) + NODE_WIDTH >= area.x &&
    Math.min(a.x, b.x) <= area.x + area.width &&
    Math.max(a.y, b.y) + NODE_HEIGHT >= area.y &&
    Math.min(a.y, b.y) <= area.y + area.height
  );
}

/** As the theme has them. */
export function coloursOf(element: Element): Colours {
  const style = getComputedStyle(element);
  const token = (name: string) => style.getPropertyValue(`--${name}`);
  return {
    line: token("ink-3"),
    box: token("surface"),
    ink: token("ink"),
    font: style.fontFamily,
    plain: token("line-strong"),
    wrong: token("bad"),
    chosen: token("accent"),
  };
}
