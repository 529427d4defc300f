// The small pure parts around the document.
import { expect, test } from "vitest";
import { parse, view } from "./document";
import { renameReference } from "./expressions";
import { at, locate } from "./findings";
import { begin, commit, PAST_MAX, redo, undo } from "./history";
import { draftOf, fill, inputsJson, keepDrafts, readInputs } from "./inputs";
import { layout, NODE_HEIGHT, NODE_WIDTH, place } from "./layout";
import { loadPositions, savePositions } from "./positions";

function flow(text: string) {
  const parsed = parse(text, "yaml");
  if (!parsed.ok) throw new Error("no document");
  return view(parsed.document);
}

const DIAMOND = "schema_version: 2\nsteps: [{id: a}, {id: b, from: a}, {id: c, from: a}, {id: d, from: [b, c]}]";

test.each([
  ["nodes.a.ok && nodes['a'].x == \"nodes.a\"", "b", 'nodes.b.ok && nodes["b"].x == "nodes.a"'],
  ["has(nodes . a)", "b", "has(nodes . b)"],
  ["nodes.a.n", "x-1", 'nodes["x-1"].n'],
  ["input.nodes.a + nodes.ab.c", "b", "input.nodes.a + nodes.ab.c"],
  ['nodes["a"]', "é", 'nodes["é"]'],
  ["'''nodes.a''' + nodes.a", "b", "'''nodes.a''' + nodes.b"],
])("renames in %s", (expression, to, renamed) => {
  expect(renameReference(expression, ["nodes"], "a", to)).toBe(renamed);
});

test("what is done can be undone and done again, and typing is one change", () => {
  let history = begin(0);
  history = commit(commit(commit(history, 1, "x"), 2, "x"), 3);
  expect(history).toEqual({ past: [0, 2], present: 3, future: [], about: undefined });
  history = undo(undo(undo(history)));
  expect(history).toEqual({ past: [], present: 0, future: [2, 3], about: undefined });
  expect(redo(redo(redo(history)))).toEqual({ past: [0, 2], present: 3, future: [], about: undefined });
  expect(commit(history, 0)).toBe(history);
  expect(commit(redo(history), 9).future).toEqual([]);
  for (let step = 1; step < PAST_MAX + 9; step += 1) history = commit(history, step);
  expect(history.past.length).toBe(PAST_MAX);
});

test("typing after an undo is a change of its own", () => {
  const history = undo(commit(commit(begin(0), 1), 2, "x"));
  expect(commit(history, 5, "x")).toEqual({ past: [0, 1], present: 5, future: [], about: "x" });
});

test("the same graph has the same places, and no two steps overlap", () => {
  const places = layout(flow(DIAMOND));
  expect(layout(flow(DIAMOND))).toEqual(places);
  const all = [...places.values()];
  for (const [index, one] of all.entries())
    for (const other of all.slice(index + 1))
      expect(Math.abs(one.x - other.x) >= NODE_WIDTH || Math.abs(one.y - other.y) >= NODE_HEIGHT).toBe(true);
  expect(places.get("a")?.x).toBeLessThan(places.get("b")?.x ?? 0);
});

test("a graph of a thousand steps is laid out without overlaps, each step behind its sources", () => {
  const steps = Array.from({ length: 1000 }, (_, index) => ({
    id: `n${index}`,
    from: index < 3 ? null : [`n${Math.floor(index / 2)}`, `n${index - 3}`],
  }));
  const large = flow(JSON.stringify({ schema_version: 2, steps }));
  const places = layout(large);
  expect(new Set([...places.values()].map(({ x, y }) => `${x},${y}`)).size).toBe(1000);
  const backwards = large.steps.filter((step) =>
    step.from.some((id) => (places.get(id)?.x ?? 0) >= (places.get(step.key)?.x ?? 0)),
  );
  expect(backwards).toEqual([]);
});

test("what was moved stays, and what is new stands beside its source without covering anything", () => {
  const moved = new Map([
    ["a", { x: 500, y: 40 }],
    ["b", { x: 804, y: 40 }],
  ]);
  const places = place(flow(DIAMOND), moved);
  expect(places.get("a")).toEqual({ x: 500, y: 40 });
  expect(places.get("c")).toEqual({ x: 804, y: 160 });
  expect(place(flow(DIAMOND), new Map())).toEqual(layout(flow(DIAMOND)));
});

test("places are kept for each flow, and a broken store only forgets", () => {
  const kept = new Map<string, string>();
  const store = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
  const places = new Map([["a", { x: 1.4, y: 2 }]]);
  for (let flow = 0; flow < 120; flow += 1) savePositions(store, `f${flow}`, places);
  expect(loadPositions(store, "f119")).toEqual(new Map([["a", { x: 1, y: 2 }]]));
  expect(loadPositions(store, "f3")).toEqual(new Map());
  expect(kept.size).toBe(101);
  kept.set("segue.positions.f119", "{");
  expect(loadPositions(store, "f119")).toEqual(new Map());
  const full = {
    ...store,
    setItem: () => {
      throw new Error("full");
    },
  };
  expect(() => savePositions(full, "f", places)).not.toThrow();
});

test("a finding is put where it is about", () => {
  const read = flow("steps: [{id: a}, {id: b, params: {capability_id: x}}]");
  expect(locate(read, "/steps/1/params/capability_id: must be bound")).toEqual({
    message: "must be bound",
    key: "b",
    path: ["params", "capability_id"],
  });
  expect(locate(read, 'there is no capability "x"')).toMatchObject({ key: "b", path: ["params", "capability_id"] });
  expect(locate(read, "/inputs/a~1b/type: is wrong")).toMatchObject({
    key: undefined,
    path: ["inputs", "a/b", "type"],
  });
  expect(locate(read, "codex is not installed")).toEqual({
    message: "codex is not installed",
    key: undefined,
    path: [],
  });
  const findings = [locate(read, "/steps/1/retry/on/0: unknown")];
  expect(at(findings, "b", ["retry"])).toBe("unknown");
  expect(at(findings, "b", ["retry", "attempts"])).toBeUndefined();
});

test("the form of a run sends what was typed, and keeps what is wrong", () => {
  const inputs = readInputs({
    s: { required: true, description: "A text" },
    n: { type: "number" },
    i: { type: "integer", default: 3 },
    b: { type: "boolean", required: true },
    o: { type: "object", title: "An object" },
    l: { type: "array", default: [1] },
  });
  expect(inputs[4]).toMatchObject({ name: "o", label: "An object", required: false });
  expect(inputs.map(draftOf)).toEqual(["", "", "3", false, "", "[\n  1\n]"]);
  const good = fill(inputs, { s: "é", n: "1.0", i: "123456789012345678901", o: '{"a": 1}' });
  expect(good.problems).toEqual({});
  expect(inputsJson(good)).toBe('{"s":"é","n":1.0,"i":123456789012345678901,"b":false,"o":{"a": 1}}');
  const bad = fill(inputs, { n: "1,5", i: "1.0", o: "[1]", l: "{" });
  expect(Object.entries(bad.problems).map(([name, { code }]) => [name, code])).toEqual([
    ["s", "required"],
    ["n", "not_number"],
    ["i", "not_integer"],
    ["o", "not_object"],
    ["l", "not_json"],
  ]);
  expect(fill(inputs, { s: "", i: "" }).values).toEqual({ i: "null", b: "false" });
  expect(keepDrafts({ s: "x", n: "1", gone: "y" }, inputs, readInputs({ s: {}, n: { type: "string" } }))).toEqual({
    s: "x",
  });
});
