import { expect, test } from "vitest";
import { said } from "./effects";

const labels = (who: string | undefined, effects: readonly string[]) =>
  said(who, effects).map(({ label, warns }) => `${label}${warns ? "!" : ""}`);

test("what is part of Segue is said as what it is, the same under its kind and its executor", () => {
  for (const who of ["artifact.task", "builtin.markdown-publication"])
    expect(labels(who, ["pure_compute", "write_local"])).toEqual(["publishes into the Run's record"]);
  for (const who of ["human.task", "builtin.person"]) expect(labels(who, ["read_external"])).toEqual(["asks a person"]);
});

test("what only computes does nothing else", () => {
  expect(labels("tool.task", ["pure_compute"])).toEqual(["computes only"]);
  expect(labels("tool.task", ["pure_compute", "execute_process"])).toEqual(["runs a program"]);
  expect(labels(undefined, ["read_external", "write_external"])).toEqual(["reads from outside", "writes outside!"]);
  expect(labels("note.draft", ["unheard_of"])).toEqual(["unheard_of"]);
});
