import { expect, test } from "vitest";
import { downstream } from "./downstream";
import { handoffs, readGraph } from "./graph";

const node = (more: Record<string, unknown>) => ({
  kind: "tool.task",
  title: "T",
  effects: [],
  input_from: null,
  ...more,
});

test("a node is read with all that its definition says", () => {
  const graph = readGraph({
    flow_id: "note",
    title: "Note",
    nodes: [
      node({
        node_id: "ask",
        kind: "human.task",
        title: "Ask",
        instruction: "Good?",
        input_from: ["draft"],
        executor: { executor_id: "builtin.person", version: "0.1.0" },
        effects: ["pure_compute"],
        session_group: "loop",
        when: "input.ok",
        human: { options: [{ id: "yes", label: "Yes" }], form: { type: "object", properties: {} } },
      }),
    ],
  });
  expect(graph).toEqual({
    title: "Note",
    nodes: [
      {
        id: "ask",
        kind: "human.task",
        title: "Ask",
        instruction: "Good?",
        from: ["draft"],
        executor: { executor_id: "builtin.person", version: "0.1.0" },
        effects: ["pure_compute"],
        session: "loop",
        question: { options: [{ id: "yes", label: "Yes" }], form: { type: "object", properties: {} } },
        rules: [["when", "input.ok"]],
      },
    ],
  });
});

test("hand-offs go from one node or from several, repairs go back, and what is not there has none", () => {
  const graph = readGraph({
    nodes: [
      node({ node_id: "a" }),
      node({ node_id: "b", input_from: "a" }),
      node({ node_id: "c", input_from: ["a", "b", "gone"], repair: { from: "a", max_rounds: 2 } }),
    ],
  });
  expect(handoffs(graph).map(({ source, target, repair }) => `${source}>${target}${repair ? " repair" : ""}`)).toEqual([
    "a>b",
    "a>c",
    "b>c",
    "c>a repair",
  ]);
});

test("whatever is no definition is an empty graph", () => {
  expect([null, 3, "x", { nodes: {} }].map(readGraph)).toEqual(Array(4).fill({ title: "", nodes: [] }));
});

test("what depends on a node is found through others, and nothing else", () => {
  const graph = readGraph({
    nodes: [
      node({ node_id: "a" }),
      node({ node_id: "b", input_from: "a" }),
      node({ node_id: "c" }),
      node({ node_id: "d", input_from: ["b", "c"] }),
    ],
  });
  expect([downstream(graph, "b"), downstream(graph, "c"), downstream(graph, "d")]).toEqual([
    ["b", "d"],
    ["c", "d"],
    ["d"],
  ]);
});
