import { expect, test } from "vitest";
import { readGraph } from "./graph";
import { madeAgainFrom, stale } from "./stale";

const node = (node_id: string, input_from: string | string[] | null, more: object = {}) => ({
  node_id,
  kind: "tool.task",
  input_from,
  ...more,
});

const GRAPH = readGraph({
  nodes: [
    node("read", null),
    node("digest", "read"),
    node("check", "digest", { kind: "evaluation.task" }),
    node("maybe", "digest", { when: "flow_input.loud" }),
    node("publish", ["check", "maybe"]),
  ],
});

const from = (id: string) => stale(GRAPH, id).map(({ id, reads }) => `${id} ${reads ? "reads" : "builds on"}`);

test("from the first node on everything is made again", () => {
  expect(from("read")).toEqual([]);
});

test("what is taken over was made with the inputs as they were", () => {
  expect(from("digest")).toEqual(["read reads"]);
  expect(from("publish")).toEqual(["read reads", "digest builds on", "check reads", "maybe reads"]);
  expect(madeAgainFrom(GRAPH, stale(GRAPH, "publish"))).toBe("read");
});

test("a node beside the fork that reads the inputs is taken over too", () => {
  const graph = readGraph({ nodes: [node("one", null), node("other", null), node("both", ["one", "other"])] });
  expect(stale(graph, "one").map(({ id }) => id)).toEqual(["other"]);
  expect(madeAgainFrom(graph, stale(graph, "one"))).toBe("other");
  expect(madeAgainFrom(graph, stale(graph, "both"))).toBeNull();
});
