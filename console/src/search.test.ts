import { expect, test } from "vitest";
import { integer, oneOf, some, words } from "./search";

test("texts are kept, also those that look like something else", () => {
  expect(["a", 12, true, "", null, {}, undefined].map(words)).toEqual([
    "a",
    "12",
    "true",
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test("numbers are whole and not negative", () => {
  expect([3, "3", 0, -1, 1.5, "x", "", null].map(integer)).toEqual([
    3,
    3,
    0,
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});

test("only known words are taken, and what is missing leaves no trace", () => {
  const search = some({ view: oneOf(["a", "b"], "b"), tab: oneOf(["a"], "c") });
  expect(Object.entries(search)).toEqual([["view", "b"]]);
});
