import { expect, test } from "vitest";
import { usageOf } from "./usage";

test("what was used is told number by number", () => {
  expect(usageOf({ input_tokens: 12, cost: { amount: 0.5, currency: "USD" }, note: null })).toEqual([
    ["input tokens", "12"],
    ["cost amount", "0.5"],
    ["cost currency", "USD"],
  ]);
});

test("an agent that says nothing used nothing that can be told", () => {
  expect([null, undefined, 3, []].map((usage) => usageOf(usage))).toEqual([[], [], [], []]);
});
