// Ways around boxes. An edge that would run behind a box which it has nothing to do with goes along a lane beside it, and
// the way back of a repair along one below, so that both are seen and neither lies on another edge. Computed from where
// boxes stand; knows nothing of what is drawn.

import { NODE_HEIGHT, NODE_WIDTH, type Places, type Point } from "../layout";

/** Along is where the flow goes: to the right, or down. */
export type Way = "right" | "down";

export interface Lane {
  /** Across the flow. */
  readonly at: number;
  /** Along the flow. */
  readonly begin: number;
  readonly end: number;
}

export interface Wish {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  /** Against the flow. */
  readonly back: boolean;
}

/** Above this many boxes handoffs are a few paths, and go straight. */
const BOXES_MAX = 200;
/** Between a box and a lane, and between two lanes: some of them fit between two rows. */
const ROOM = 10;
/** Below a box, where the way back ends with an arrow. */
const ROOM_BACK = 24;
const APART = 8;
/** Places of a curve that are looked at. */
const SAMPLES = 24;
const CORNER = 12;
const BEND = 36;

interface Box {
  readonly key: string;
  readonly along: number;
  readonly across: number;
  readonly length: number;
  readonly breadth: number;
}

/** The lane of each edge that needs one, by its id. */
export function lanes(places: Places, wishes: readonly Wish[], way: Way = "right"): ReadonlyMap<string, Lane> {
  const found = new Map<string, Lane>();
  const needed = places.size > BOXES_MAX ? wishes.filter((wish) => wish.back) : wishes;
  if (needed.length === 0) return found;
  const boxes = new Map([...places].map(([key, point]) => [key, boxOf(key, point, way)]));
  const all = [...boxes.values()];
  for (const { id, source, target, back } of needed) {
    const [from, to] = [boxes.get(source), boxes.get(target)];
    if (from === undefined || to === undefined) continue;
    const lane = back ? backLane(from, to, all, [...found.values()]) : around(from, to, all, [...found.values()]);
    if (lane !== undefined) found.set(id, lane);
  }
  return found;
}

function boxOf(key: string, { x, y }: Point, way: Way): Box {
  return way === "right"
    ? { key, along: x, across: y, length: NODE_WIDTH, breadth: NODE_HEIGHT }
    : { key, along: y, across: x, length: NODE_HEIGHT, breadth: NODE_WIDTH };
}

const middle = (box: Box) => box.across + box.breadth / 2;
const far = (box: Box) => box.along + box.length;

function around(from: Box, to: Box, boxes: readonly Box[], taken: readonly Lane[]): Lane | undefined {
  const [begin, end] = [far(from), to.along];
  // No box fits between the two.
  if (end - begin < from.length) return undefined;
  const between = boxes.filter((box) => box !== from && box !== to && far(box) > begin && box.along < end);
  const behind = between.filter((box) => crosses(begin, middle(from), end, middle(to), box));
  if (behind.length === 0) return undefined;
  const before = lane(behind, between, -1, taken);
  const after = lane(behind, between, 1, taken);
  const straight = (middle(from) + middle(to)) / 2;
  return Math.abs(before.at - straight) <= Math.abs(after.at - straight) ? before : after;
}

function backLane(from: Box, to: Box, boxes: readonly Box[], taken: readonly Lane[]): Lane {
  const [begin, end] = [to.along + to.length / 2, from.along + from.length / 2];
  const [low, high] = [Math.min(begin, end), Math.max(begin, end)];
  const between = boxes.filter((box) => far(box) > low && box.along < high);
  const { at } = lane([from, to], between, 1, taken, ROOM_BACK);
  return { at, begin, end };
}

/** Beside all of these boxes, and beside every other one that it would meet there. */
function lane(beside: readonly Box[], boxes: readonly Box[], side: 1 | -1, taken: readonly Lane[], room = ROOM): Lane {
  const passed = new Set(beside);
  for (;;) {
    const edges = [...passed].map((box) => (side === 1 ? box.across + box.breadth : box.across));
    const [begin, end] = [
      Math.min(...[...passed].map((box) => box.along)) - ROOM,
      Math.max(...[...passed].map(far)) + ROOM,
    ];
    let at = (side === 1 ? Math.max(...edges) : Math.min(...edges)) + side * room;
    const meets = (other: Lane) => Math.abs(other.at - at) < APART && spans(other, begin, end);
    while (taken.some(meets)) at += side * APART;
    const met = boxes.find(
      (box) =>
        !passed.has(box) &&
        far(box) > begin &&
        box.along < end &&
        at > box.across - ROOM / 2 &&
        at < box.across + box.breadth + ROOM / 2,
    );
    if (met === undefined) return { at, begin, end };
    passed.add(met);
  }
}

function spans(lane: Lane, begin: number, end: number): boolean {
  return Math.max(lane.begin, lane.end) > begin && Math.min(lane.begin, lane.end) < end;
}

/** Whether the curve that would be drawn from one to the other passes through a box. */
function crosses(a1: number, c1: number, a2: number, c2: number, box: Box): boolean {
  const bend = (a2 - a1) / 2;
  for (let sample = 1; sample < SAMPLES; sample += 1) {
    const t = sample / SAMPLES;
    const along = bezier(a1, a1 + bend, a2 - bend, a2, t);
    const across = bezier(c1, c1, c2, c2, t);
    const isIn =
      along > box.along && along < far(box) && across > box.across - 2 && across < box.across + box.breadth + 2;
    if (isIn) return true;
  }
  return false;
}

function bezier(a: number, b: number, c: number, d: number, t: number): number {
  const u = 1 - t;
  return u * u * u * a + 3 * u * u * t * b + 3 * u * t * t * c + t * t * t * d;
}

/** From one handle along a lane to another. */
export function forwardPath(from: Point, to: Point, { at, begin, end }: Lane, way: Way = "right"): string {
  const pen = penOf(way);
  const [source, target] = [pen.read(from), pen.read(to)];
  const into = Math.min(BEND, Math.max(0, begin - source.along));
  const out = Math.min(BEND, Math.max(0, target.along - end));
  return (
    `M${pen.at(source.along, source.across)}` +
    `C${pen.at(source.along + into, source.across)} ${pen.at(begin - into, at)} ${pen.at(begin, at)}` +
    `L${pen.at(end, at)}` +
    `C${pen.at(end + out, at)} ${pen.at(target.along - out, target.across)} ${pen.at(target.along, target.across)}`
  );
}

/** From the side of one box along a lane back to the side of another. Handles are where edges of the flow begin and end. */
export function backPath(from: Point, to: Point, { at }: Lane, way: Way = "right"): string {
  const pen = penOf(way);
  const [length, breadth] = way === "right" ? [NODE_WIDTH, NODE_HEIGHT] : [NODE_HEIGHT, NODE_WIDTH];
  const [source, target] = [pen.read(from), pen.read(to)];
  const [begin, end] = [source.along - length / 2, target.along + length / 2];
  const [down, up] = [source.across + breadth / 2, target.across + breadth / 2];
  const turn = Math.min(CORNER, Math.abs(begin - end) / 2) * Math.sign(end - begin);
  const corner = (side: number) => Math.sign(at - side) * Math.min(CORNER, Math.abs(at - side));
  return (
    `M${pen.at(begin, down)}L${pen.at(begin, at - corner(down))}Q${pen.at(begin, at)} ${pen.at(begin + turn, at)}` +
    `L${pen.at(end - turn, at)}Q${pen.at(end, at)} ${pen.at(end, at - corner(up))}L${pen.at(end, up)}`
  );
}

function penOf(way: Way) {
  const isRight = way === "right";
  return {
    at: (along: number, across: number) => (isRight ? `${along} ${across}` : `${across} ${along}`),
    read: ({ x, y }: Point) => (isRight ? { along: x, across: y } : { along: y, across: x }),
  };
}
