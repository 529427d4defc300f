import { expect, test } from "vitest";
import { written, writtenIn } from "./written";

test("the most finished text that is there is shown", () => {
  expect(written({ text: "a", model_output: "b", article_markdown: " " })).toBe("b");
  expect(written({ article_markdown: 7, other: "c" })).toBeNull();
  expect(written("d")).toBeNull();
});

test("an input of several nodes has a text of each that wrote one", () => {
  expect(writtenIn({ agent_output: "a", draft: { text: "b" } })).toEqual([{ from: null, written: "a" }]);
  expect(writtenIn({ draft: { text: "b" }, gate: { passed: true }, note: null })).toEqual([
    { from: "draft", written: "b" },
  ]);
  expect(writtenIn({})).toEqual([]);
});
