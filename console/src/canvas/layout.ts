// Where steps stand: computed from the graph, and the same graph gives the same places. What an author moved by hand is
// kept apart, in `positions.ts`.

import { Graph, layout as run } from "@dagrejs/dagre";
import type { FlowView } from "./document";
import { edges } from "./graph";
import { type Link, layers } from "./layers";

export interface Point {
  readonly x: number;
  readonly y: number;
}

export type Places = ReadonlyMap<string, Point>;

/** Of every step, in the canvas's units; `nodes/StepNode.tsx` draws it this large. */
export const NODE_WIDTH = 232;
export const NODE_HEIGHT = 84;

const GAP_ALONG = 72;
const GAP_ACROSS = 36;
/** Above this many steps the good layout takes seconds; the plain one takes none. */
const GOOD_MAX = 150;

/** The whole graph from left to right. */
export function layout(view: FlowView): Places {
  const keys = view.steps.map((step) => step.key);
  return arrange(
    keys,
    edges(view).filter((edge) => edge.kind === "handoff"),
  );
}

/** Any graph of nodes of one size, from left to right or from top to bottom. */
export function arrange(keys: readonly string[], links: readonly Link[], way: "right" | "down" = "right"): Places {
  return keys.length > GOOD_MAX ? plain(keys, links) : good(keys, links, way);
}

function good(keys: readonly string[], links: readonly Link[], way: "right" | "down"): Places {
  const graph = new Graph();
  const gaps =
    way === "right" ? { ranksep: GAP_ALONG, nodesep: GAP_ACROSS } : { ranksep: GAP_ACROSS, nodesep: GAP_ACROSS };
  graph.setGraph({ rankdir: way === "right" ? "LR" : "TB", ...gaps });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const key of keys) graph.setNode(key, { width: NODE_WIDTH, height: NODE_HEIGHT });
  for (const link of links) graph.setEdge(link.source, link.target);
  run(graph);
  const places = new Map<string, Point>();
  for (const key of keys) {
    const { x, y } = graph.node(key) as Point;
    places.set(key, { x: Math.round(x - NODE_WIDTH / 2), y: Math.round(y - NODE_HEIGHT / 2) });
  }
  return places;
}

function plain(keys: readonly string[], links: readonly Link[]): Places {
  const places = new Map<string, Point>();
  for (const [column, rows] of layers(keys, links).entries())
    for (const [row, key] of rows.entries())
      places.set(key, {
        x: column * (NODE_WIDTH + GAP_ALONG),
        y: Math.round((row - rows.length / 2) * (NODE_HEIGHT + GAP_ACROSS)),
      });
  return places;
}

/** What was moved by hand stays; what is new is put beside what it receives from. Nothing moved: the whole layout. */
export function place(view: FlowView, moved: Places): Places {
  const kept = view.steps.filter((step) => moved.has(step.key));
  if (kept.length === 0) return layout(view);
  const places = new Map<string, Point>();
  for (const step of kept) places.set(step.key, moved.get(step.key) as Point);
  for (const step of view.steps) {
    if (places.has(step.key)) continue;
    const sources = step.from.flatMap((id) => places.get(id) ?? []);
    const start = sources.reduce(
      (right, point) => ({ x: Math.max(right.x, point.x + NODE_WIDTH + GAP_ALONG), y: Math.max(right.y, point.y) }),
      { x: 0, y: sources.length === 0 ? lowest(places) : Number.NEGATIVE_INFINITY },
    );
    places.set(step.key, free(start, places));
  }
  return places;
}

function lowest(places: Places): number {
  return Math.max(...[...places.values()].map((point) => point.y)) + NODE_HEIGHT + GAP_ACROSS;
}

/** The first place downwards where nothing stands. */
function free(start: Point, places: Places): Point {
  const others = [...places.values()];
  let { y } = start;
  const overlaps = (other: Point) =>
    Math.abs(other.x - start.x) < NODE_WIDTH && Math.abs(other.y - y) < NODE_HEIGHT + GAP_ACROSS / 2;
  for (let blocker = others.find(overlaps); blocker; blocker = others.find(overlaps))
    y = blocker.y + NODE_HEIGHT + GAP_ACROSS;
  return { x: start.x, y };
}
