import { expect, test } from "vitest";
import { given, givenLine } from "./given";

const FLOW_INPUT = {
  goal: "g",
  topic: "Otters",
  audience: "a",
  granularity: "fine",
  required_principles: [],
  workspace: "w",
  document: "a\n  b.md",
  count: 2,
};

test("what the runtime adds is no input", () => {
  expect(given(FLOW_INPUT, null)).toEqual([
    ["document", "a\n  b.md"],
    ["count", 2],
  ]);
  expect(given(null, null)).toEqual([]);
});

test("declared inputs go by their names and in their order", () => {
  const declared = { count: { type: "integer" }, report_focus: { type: "string" }, note: { type: "string" } };
  expect(given(FLOW_INPUT, declared)).toEqual([
    ["count", 2],
    ["report_focus", "Otters"],
    ["document", "a\n  b.md"],
  ]);
});

test("a list has them on one line", () => {
  expect(givenLine(given(FLOW_INPUT, null))).toBe("document: a b.md, count: 2");
  expect(givenLine([["text", "x".repeat(5_000)]])).toHaveLength("text: ".length + 201);
});
