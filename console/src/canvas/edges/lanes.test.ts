import { describe, expect, test } from "vitest";
import { arrange, NODE_HEIGHT, NODE_WIDTH, type Places } from "../layout";
import { backPath, forwardPath, lanes, type Wish } from "./lanes";

const to = (source: string, target: string, back = false): Wish => ({
  id: `${source}${back ? "⟲" : "→"}${target}`,
  source,
  target,
  back,
});

/** Three boxes in a row, or one below the other. */
const row = (down = false): Places =>
  new Map(["a", "b", "c"].map((key, at) => [key, down ? { x: 0, y: at * 120 } : { x: at * 304, y: 0 }]));

const boxes = (places: Places) => [...places.values()];

/** Points of a path, every pair of numbers in it. */
function points(path: string): [number, number][] {
  return [...path.matchAll(/(-?[\d.]+) (-?[\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)]);
}

describe("an edge that leaves a box out", () => {
  test("goes beside it; the others need no lane", () => {
    const found = lanes(row(), [to("a", "b"), to("b", "c"), to("a", "c")]);
    expect([...found]).toEqual([["a→c", { at: -10, begin: 294, end: 546 }]]);
    const down = lanes(row(true), [to("a", "b"), to("a", "c")], "down");
    expect([...down]).toEqual([["a→c", { at: -10, begin: 110, end: 214 }]]);
  });

  test("shares its lane with no other one", () => {
    const found = lanes(row(), [to("a", "c"), { ...to("a", "c"), id: "second" }, { ...to("a", "c"), id: "third" }]);
    expect(new Set([...found.values()].map((lane) => lane.at)).size).toBe(3);
  });

  test("passes through no box, wherever boxes stand", () => {
    const keys = ["a", "b", "c", "d", "e", "f"];
    const links = [to("a", "b"), to("b", "c"), to("a", "d"), to("d", "e"), to("c", "f"), to("e", "f"), to("a", "f")];
    const places = new Map([...arrange(keys, links), ["x", { x: 304, y: 90 }] as const]);
    const lane = lanes(places, links).get("a→f");
    expect(lane).toBeDefined();
    if (lane === undefined) return;
    const meets = boxes(places).filter(
      ({ x, y }) => x + NODE_WIDTH > lane.begin && x < lane.end && lane.at > y && lane.at < y + NODE_HEIGHT,
    );
    expect(meets).toEqual([]);
  });
});

describe("the way back", () => {
  test("goes below everything between the two, however short it is", () => {
    const found = lanes(row(), [to("c", "a", true), to("b", "a", true)]);
    expect([...found.values()].map(({ at }) => at)).toEqual([NODE_HEIGHT + 24, NODE_HEIGHT + 32]);
  });

  test("begins and ends at the sides of the boxes", () => {
    const [begin] = points(backPath({ x: 840, y: 42 }, { x: 0, y: 42 }, { at: 94, begin: 116, end: 724 }));
    const end = points(backPath({ x: 840, y: 42 }, { x: 0, y: 42 }, { at: 94, begin: 116, end: 724 })).at(-1);
    expect([begin, end]).toEqual([
      [724, 84],
      [116, 84],
    ]);
  });
});

test("a path begins and ends at the handles, and runs along its lane", () => {
  const lane = { at: -10, begin: 294, end: 546 };
  const right = points(forwardPath({ x: 232, y: 42 }, { x: 608, y: 42 }, lane));
  expect([right[0], right.at(-1)]).toEqual([
    [232, 42],
    [608, 42],
  ]);
  expect(right).toContainEqual([294, -10]);
  expect(right).toContainEqual([546, -10]);
  const down = points(forwardPath({ x: 42, y: 232 }, { x: 42, y: 608 }, lane, "down"));
  expect(down).toEqual(right.map(([x, y]) => [y, x]));
});
