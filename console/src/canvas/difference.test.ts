import { expect, test } from "vitest";
import { difference } from "./difference";

test("what was added, changed and removed is named, and nothing else", () => {
  const before = [
    { node_id: "a", title: "A", kind: "tool.task", executor: { id: "x", version: "1" }, instruction: null },
    { node_id: "b", title: "B", input_from: ["a", "c"] },
    { node_id: "gone", title: "Gone" },
  ];
  const after = [
    { node_id: "new", title: "" },
    { node_id: "b", title: "B", input_from: ["c", "a"], retry: { attempts: 2 } },
    { node_id: "a", kind: "tool.task", title: "A", executor: { version: "1", id: "x" } },
  ];
  expect(difference(before, after, "node_id")).toEqual([
    { id: "new", title: "new", kind: "added", changes: [] },
    {
      id: "b",
      title: "B",
      kind: "changed",
      changes: [
        { member: "input_from", before: ["a", "c"], after: ["c", "a"] },
        { member: "retry", before: undefined, after: { attempts: 2 } },
      ],
    },
    { id: "gone", title: "Gone", kind: "removed", changes: [] },
  ]);
  expect(difference(before, before, "node_id")).toEqual([]);
});
