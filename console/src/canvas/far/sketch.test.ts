import { describe, expect, test } from "vitest";
import { NODE_HEIGHT, NODE_WIDTH } from "../layout";
import { areaFor, boundsOf, boxAt, hasWords, holds, intersect, isEnough, linesOf, scaleFor } from "./sketch";

const rect = (x: number, y: number, width: number, height: number) => ({ x, y, width, height });

describe("a picture", () => {
  const bounds = rect(0, 0, 10_000, 4_000);

  test("is drawn of what is seen and half as much around it, as far as there is anything", () => {
    expect(areaFor(rect(4_000, 1_000, 1_000, 500), bounds)).toEqual(rect(3_500, 750, 2_000, 1_000));
    expect(areaFor(rect(-1_000, -1_000, 20_000, 10_000), bounds)).toEqual(bounds);
    expect(areaFor(rect(50_000, 0, 100, 100), bounds)).toMatchObject({ width: 0 });
  });

  test("is enough until something is seen that is not on it, or it is stretched too much", () => {
    const seen = rect(4_000, 1_000, 1_000, 500);
    const drawn = { area: areaFor(seen, bounds), zoom: 0.2 };
    const moved = (by: number) => ({ ...seen, x: seen.x + by });
    expect(isEnough(drawn, moved(500), 0.2, bounds)).toBe(true);
    expect(isEnough(drawn, moved(501), 0.2, bounds)).toBe(false);
    expect(isEnough(drawn, seen, 0.3, bounds)).toBe(true);
    expect(isEnough(drawn, seen, 0.31, bounds)).toBe(false);
    // All of the flow is on it: there is nothing else to be seen.
    expect(isEnough({ area: bounds, zoom: 0.05 }, rect(-5_000, 0, 9_000, 9_000), 0.05, bounds)).toBe(true);
  });

  test("has no more pixels than the screen shows, and never too many", () => {
    expect(scaleFor(rect(0, 0, 1_000, 1_000), 0.2, 2)).toBeCloseTo(0.4);
    const huge = scaleFor(rect(0, 0, 100_000, 100_000), 0.4, 2);
    expect((100_000 * huge) ** 2).toBeLessThanOrEqual(16_000_001);
  });
});

test("titles are drawn where they can be read, in two lines at most", () => {
  expect([hasWords(0.1), hasWords(0.3)]).toEqual([false, true]);
  expect(linesOf(" Draft ")).toEqual(["Draft"]);
  expect(linesOf("Review the draft")).toEqual(["Review the", "draft"]);
  expect(linesOf("Supercalifragilistic")).toEqual(["Supercalifragi", "listic"]);
  expect(linesOf("Review the draft of everybody")).toEqual(["Review the", "draft of ever…"]);
  expect(linesOf("")).toEqual([]);
});

test("what is below the pointer is the box that lies on top", () => {
  const box = (id: string, x: number, y: number) => ({ id, title: id, x, y, look: "plain" as const });
  const boxes = [box("a", 0, 0), box("b", 10, 10)];
  expect(boxAt(boxes, { x: 5, y: 5 })?.id).toBe("a");
  expect(boxAt(boxes, { x: 20, y: 20 })?.id).toBe("b");
  expect(boxAt(boxes, { x: NODE_WIDTH + 11, y: 20 })).toBeUndefined();
});

test("rectangles that do not meet have nothing in common", () => {
  expect(intersect(rect(0, 0, 10, 10), rect(20, 0, 10, 10))).toMatchObject({ width: 0 });
  expect(holds(rect(0, 0, 10, 10), rect(20, 0, 0, 10))).toBe(true);
  expect(holds(rect(0, 0, 10, 10), rect(5, 5, 10, 1))).toBe(false);
  expect(boundsOf([])).toEqual(rect(0, 0, 0, 0));
  const all = boundsOf([
    { x: 0, y: 0 },
    { x: 100, y: 50 },
  ]);
  expect(holds(all, rect(0, 0, 100 + NODE_WIDTH, 50 + NODE_HEIGHT))).toBe(true);
});
