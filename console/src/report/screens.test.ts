import { expect, test } from "vitest";
import { hashOf } from "./screens";

test("the screens of the contract have addresses here", () => {
  const shown = ["?screen=home", "?screen=flows", "?screen=runs&x=1", "?screen=odd", ""];
  expect(shown.map((query) => hashOf(query, "r-1"))).toEqual(["#/", "#/runs/r-1", "#/runs/r-1", null, null]);
  expect(hashOf("?screen=runs", undefined)).toBe("#/");
});
