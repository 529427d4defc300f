import { describe, expect, test } from "vitest";
import { type FlowDocument, json, parse, render, view } from "./document";
import * as ops from "./operations";

function read(text: string): FlowDocument {
  const parsed = parse(text, "yaml");
  if (!parsed.ok) throw new Error(parsed.problems.map((problem) => problem.message).join());
  return parsed.document;
}

function document(outcome: ops.Outcome): FlowDocument {
  if ("refusal" in outcome) throw new Error(outcome.refusal);
  return outcome.document;
}

function notes(outcome: ops.Outcome): readonly ops.Note[] {
  return "refusal" in outcome ? [] : outcome.notes;
}

/** `b <- a` for each step, and the version. */
function shape(flow: FlowDocument): string {
  const { version, steps } = view(flow);
  const lines = steps.map(
    ({ id, from, gathers }) => `${id}${from.length ? ` <- ${gathers ? `[${from}]` : from}` : ""}`,
  );
  return `${version}: ${lines.join("; ")}`;
}

const chain = () =>
  read(
    "schema_version: 1\nid: f\nsteps:\n  - {id: a, type: tool.task, from: null}\n  - {id: b, type: tool.task, from: a}\n  - {id: c, type: artifact.task, from: b}\n",
  );
const graph = () =>
  read(
    "schema_version: 2\nid: f\nsteps:\n  - {id: a, type: tool.task}\n  - {id: b, type: tool.task, from: a}\n  - {id: c, type: tool.task, from: a}\n" +
      "  - {id: d, type: evaluation.task, from: [b, c], when: 'input.b.ok && nodes[\"b\"].ok', repair: {from: b, max_rounds: 2}}\n",
  );

describe("a chain", () => {
  test("stays one while steps are added at its end, put between, and taken out", () => {
    let flow = document(ops.addStep(chain(), "model.task", "c"));
    expect(shape(flow)).toBe("1: a; b <- a; c <- b; model <- c");
    flow = document(ops.insertAfter(flow, "agent.task", "a"));
    expect(shape(flow)).toBe("1: a; agent <- a; b <- agent; c <- b; model <- c");
    flow = document(ops.remove(flow, ["b", "a"]));
    expect(shape(flow)).toBe("1: agent; c <- agent; model <- c");
    expect(shape(document(ops.addStep(read("steps: []"), "agent.task", null)))).toBe("1: agent");
  });

  test("becomes a graph when something needs one, and that is said", () => {
    const branch = ops.addStep(chain(), "tool.task", "a");
    expect(shape(document(branch))).toBe("2: a; tool <- a; b <- a; c <- b");
    expect(notes(branch)).toEqual([{ about: "raised", because: "branch", wakes: [] }]);
    expect(notes(ops.insertAfter(chain(), "human.task", "a"))).toEqual([
      { about: "raised", because: "kind", wakes: [] },
      { about: "consent", step: "b", person: "person", answer: "approve" },
    ]);
    expect(notes(ops.disconnect(chain(), "a", "b"))).toEqual([{ about: "raised", because: "branch", wakes: [] }]);
    expect(notes(ops.setField(chain(), "b", ["when"], "true"))).toEqual([
      { about: "raised", because: "rule", wakes: [] },
    ]);
    expect(notes(ops.bind(chain(), "b", { id: "x", kind: "mcp_http" }))).toEqual([
      { about: "raised", because: "binding", wakes: [] },
    ]);
    expect(notes(ops.bind(chain(), "b", { id: "x", kind: "cli" }))).toEqual([]);
    expect(notes(ops.connect(chain(), "a", "c"))).toEqual([
      { about: "raised", because: "branch", wakes: [] },
      { about: "gathers", step: "c" },
    ]);
  });

  test("carries rules that sleep; the author is told which of them wake", () => {
    const flow = document(
      ops.setField(read("steps: [{id: a, type: tool.task, timeout_seconds: 5}]"), "a", ["prompt"], "x"),
    );
    expect(shape(flow)).toBe("1: a");
    expect(ops.raise(flow, "asked").notes).toEqual([
      { about: "raised", because: "asked", wakes: ["a: timeout_seconds"] },
    ]);
  });
});

describe("a graph", () => {
  test("an edge into a step that has one makes it receive both by name", () => {
    const joined = ops.connect(document(ops.disconnect(graph(), "a", "c")), "b", "c");
    expect(shape(document(joined))).toBe("2: a; b <- a; c <- b; d <- [b,c]");
    const both = ops.connect(document(joined), "a", "c");
    expect(shape(document(both))).toBe("2: a; b <- a; c <- [b,a]; d <- [b,c]");
    expect(notes(both)).toEqual([{ about: "gathers", step: "c" }]);
    const one = ops.disconnect(document(both), "b", "c");
    expect(shape(document(one))).toBe("2: a; b <- a; c <- a; d <- [b,c]");
    expect(notes(one)).toEqual([{ about: "receives_one", step: "c" }]);
    expect(shape(document(ops.setGathers(document(one), "c", true)))).toBe("2: a; b <- a; c <- [a]; d <- [b,c]");
  });

  test("what cannot be is refused", () => {
    expect(ops.connect(graph(), "d", "a")).toEqual({ refusal: "cycle" });
    expect(ops.connect(graph(), "a", "a")).toEqual({ refusal: "cycle" });
    expect(ops.connect(graph(), "a", "b")).toEqual({ refusal: "known_edge" });
    expect(ops.connect(graph(), "a", "z")).toEqual({ refusal: "gone" });
    expect(ops.renameStep(graph(), "a", "b")).toEqual({ refusal: "id_taken" });
    expect(ops.renameStep(graph(), "a", " ")).toEqual({ refusal: "id_blank" });
    expect(ops.addStep(read("schema_version: 3\nsteps: []"), "tool.task", null)).toEqual({ refusal: "too_new" });
  });

  test("a step that is taken out is named nowhere any more", () => {
    const outcome = ops.remove(graph(), ["b"]);
    expect(shape(document(outcome))).toBe("2: a; c <- a; d <- [a,c]");
    expect(notes(outcome)).toEqual([{ about: "repair_removed", step: "d" }]);
    expect(view(document(outcome)).byKey.get("d")?.members).not.toHaveProperty("repair");
    expect(shape(document(ops.remove(graph(), ["a"])))).toBe("2: b; c; d <- [b,c]");
  });

  test("a new id stands wherever the old one stood", () => {
    const flow = document(ops.renameStep(graph(), "b", "b-2"));
    expect(view(flow).byKey.get("d")?.members).toMatchObject({
      from: ["b-2", "c"],
      when: 'input["b-2"].ok && nodes["b-2"].ok',
      repair: { from: "b-2", max_rounds: 2 },
    });
  });

  test("a copy receives the same and has an id of its own", () => {
    const flow = document(ops.duplicate(graph(), "d"));
    expect(shape(flow)).toBe("2: a; b <- a; c <- a; d <- [b,c]; d-copy <- [b,c]");
  });
});

describe("behind a person", () => {
  const asked = () => document(ops.addStep(document(ops.addStep(chain(), "human.task", "b")), "agent.task", "person"));
  const when = (flow: FlowDocument, key: string) => view(flow).byKey.get(key)?.members.when;

  test("a step receives what was asked about beside the answer, and is done if the answer is yes", () => {
    const added = ops.addStep(document(ops.addStep(chain(), "human.task", "b")), "artifact.task", "person");
    expect(shape(document(added))).toBe("2: a; b <- a; person <- b; publish <- [b,person]; c <- b");
    expect(when(document(added), "publish")).toBe('input.person.option == "approve"');
    expect(notes(added)).toEqual([{ about: "consent", step: "publish", person: "person", answer: "approve" }]);
    const alone = document(ops.addStep(read("steps: []"), "human.task", null));
    const first = document(ops.addStep(alone, "tool.task", "person"));
    expect([shape(first), when(first, "tool")]).toEqual(["2: person; tool <- person", 'input.option == "approve"']);
  });

  test("the answer that counts is the first that is offered", () => {
    const flow = read("schema_version: 2\nsteps: [{id: p, type: human.task, params: {options: [{id: go}, {id: no}]}}]");
    expect(when(document(ops.addStep(flow, "tool.task", "p")), "tool")).toBe('input.option == "go"');
  });

  test("a person between two steps hides nothing from the second", () => {
    const inserted = ops.insertAfter(chain(), "human.task", "b");
    expect(shape(document(inserted))).toBe("2: a; b <- a; person <- b; c <- [b,person]");
    expect(when(document(inserted), "c")).toBe('input.person.option == "approve"');
    expect(notes(inserted)).toEqual([
      { about: "raised", because: "kind", wakes: [] },
      { about: "consent", step: "c", person: "person", answer: "approve" },
    ]);
    const own = document(ops.setField(chain(), "c", ["when"], "input.ok"));
    expect(when(document(ops.insertAfter(own, "human.task", "b")), "c")).toBe("input.ok");
  });

  test("what is put behind a person takes the place of the answer, also another person", () => {
    const flow = document(ops.insertAfter(chain(), "human.task", "b"));
    const tool = document(ops.insertAfter(flow, "tool.task", "person"));
    expect(shape(tool)).toBe("2: a; b <- a; person <- b; tool <- [b,person]; c <- tool");
    expect([when(tool, "tool"), when(tool, "c")]).toEqual(['input.person.option == "approve"', undefined]);
    const second = document(ops.insertAfter(flow, "human.task", "person"));
    expect(shape(second)).toBe("2: a; b <- a; person <- b; person-2 <- [b,person]; c <- [b,person-2]");
    const both = '"person-2" in input && input["person-2"].option == "approve"';
    expect([when(second, "person-2"), when(second, "c")]).toEqual(['input.person.option == "approve"', both]);
    const renamed = document(ops.renameStep(second, "person-2", "boss"));
    expect(when(renamed, "c")).toBe('"boss" in input && input.boss.option == "approve"');
  });

  test("consent is waited for under whatever name the first answer gets", () => {
    let flow = document(ops.setField(asked(), "person", ["params", "options"], [{ id: "go" }, { id: "no" }]));
    expect(when(flow, "agent")).toBe('input.person.option == "go"');
    flow = document(ops.setField(flow, "person", ["when"], "input.ok"));
    expect(when(flow, "agent")).toBe('"person" in input && input.person.option == "go"');
    const own = document(ops.setField(flow, "agent", ["when"], 'input.person.option == "no"'));
    const other = document(ops.setField(own, "person", ["params", "options"], undefined));
    expect(when(other, "agent")).toBe('input.person.option == "no"');
  });

  test("a person that is taken out takes its condition along", () => {
    const flow = document(ops.remove(asked(), ["person"]));
    expect(shape(flow)).toBe("2: a; b <- a; agent <- b; c <- b");
    expect(when(flow, "agent")).toBeUndefined();
  });
});

describe("fields", () => {
  test("a new member stands where people look for it, and the last one takes its holder along", () => {
    let flow = document(ops.setField(chain(), "a", ["params", "title"], "A"));
    flow = document(ops.setField(flow, "a", ["prompt"], "Do"));
    expect(Object.keys(view(flow).steps[0]?.members ?? {})).toEqual(["id", "type", "from", "prompt", "params"]);
    flow = document(ops.setField(flow, "a", ["params", "title"], undefined));
    expect(view(flow).steps[0]?.members).toEqual({ id: "a", type: "tool.task", from: null, prompt: "Do" });
  });

  test("comments stay where they are", () => {
    const text =
      "# head\nid: f\nsteps:\n  # about a\n  - id: a # its id\n    type: tool.task\n    prompt: old # why\n  - id: b # next\n    type: tool.task\n    from: a\n";
    const flow = document(ops.renameStep(document(ops.setField(read(text), "a", ["prompt"], "new")), "a", "z"));
    expect(render(flow, "yaml")).toBe(
      text.replace("old", "new").replace("id: a ", "id: z ").replace("from: a", "from: z"),
    );
  });

  test("binding to another capability drops the pin of the one before", () => {
    const bound = read(
      "steps: [{id: a, type: tool.task, params: {capability_id: x, capability_fingerprint: ff, other: 1}}]",
    );
    expect(json(document(ops.bind(bound, "a", { id: "y", kind: "cli" })))).toBe(
      '{"steps":[{"id":"a","type":"tool.task","params":{"capability_id":"y","other":1}}]}',
    );
    expect(json(document(ops.bind(bound, "a", null)))).toBe(
      '{"steps":[{"id":"a","type":"tool.task","params":{"other":1}}]}',
    );
  });

  test("inputs are declared, renamed in their place, and taken away", () => {
    let flow = document(ops.setFlowField(read("id: f\nsteps: []"), ["inputs", "a"], { type: "string" }));
    flow = document(ops.setFlowField(flow, ["inputs", "b"], { type: "integer" }));
    expect(ops.renameInput(flow, "a", "b")).toEqual({ refusal: "name_taken" });
    flow = document(ops.renameInput(flow, "a", "c"));
    expect(json(flow)).toBe('{"id":"f","inputs":{"c":{"type":"string"},"b":{"type":"integer"}},"steps":[]}');
    expect(json(document(ops.setFlowField(flow, ["inputs", "c"], undefined)))).toBe(
      '{"id":"f","inputs":{"b":{"type":"integer"}},"steps":[]}',
    );
  });
});

test("an operation changes nothing but what it is about", () => {
  const before = graph();
  const text = render(before, "yaml");
  const [a, b] = view(before).steps;
  const after = document(ops.setField(before, "b", ["prompt"], "x"));
  expect(render(before, "yaml")).toBe(text);
  expect(view(after).steps[0]).toBe(a);
  expect(view(after).steps[1]).not.toBe(b);
});
