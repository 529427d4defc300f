import { describe, expect, test } from "vitest";
import { emptyDocument, type FlowDocument, json, parse, render, view } from "./document";

function read(text: string, format: "yaml" | "json" = "yaml"): FlowDocument {
  const parsed = parse(text, format);
  if (!parsed.ok) throw new Error(parsed.problems.map((problem) => problem.message).join());
  return parsed.document;
}

const COMMENTED = `# What it is for
schema_version: 1
id: note # the portable id
steps:
  # the first one
  - id: draft
    type: tool.task
    from: null
    x_own: {kept: [1, 1.0]}
    params: {title: Draft, capability_id: note.draft}
x_symphlo: {granularity: fine}
`;

describe("the two texts of a document", () => {
  test("YAML is written as it was read, with its comments and what nobody knows", () => {
    expect(render(read(COMMENTED), "yaml")).toBe(COMMENTED);
  });

  test("numbers are sent as they were written: their hashes differ", () => {
    const text =
      '{"steps":[],"n":[1,1.0,-0.0,1e16,0.1,123456789012345678901234567890,1E-7,1.50],"t":"\\u2028\\"\\\\é😀"}';
    const values = JSON.stringify(JSON.parse(text).t);
    expect(json(read(text, "json"))).toBe(
      `{"steps":[],"n":[1,1.0,-0.0,1e16,0.1,123456789012345678901234567890,1E-7,1.50],"t":${values}}`,
    );
    const again = read(render(read(text, "json"), "yaml"));
    expect(json(again)).toBe(
      `{"steps":[],"n":[1,1.0,-0.0,1e+16,0.1,123456789012345678901234567890,1e-7,1.50],"t":${values}}`,
    );
  });

  test("texts that look like something else stay texts on the way through YAML", () => {
    const text = JSON.stringify({
      a: ["null", "true", "1", "", " x ", "- a", "a: b", "#", "x\ny\n", "\ttab", "~", "*a", "0x1F", "1_000", "=", "<<"],
      steps: [],
    });
    expect(json(read(render(read(text, "json"), "yaml")))).toBe(text);
  });

  test("JSON with tabs is read, and JSON is written with two spaces", () => {
    const text = '{\n\t"id": "a",\n\t"steps": []\n}\n';
    expect(render(read(text, "json"), "json")).toBe('{\n  "id": "a",\n  "steps": []\n}\n');
  });

  test("what came as JSON is good YAML", () => {
    const text = '{"schema_version":2,"steps":[{"id":"a","type":"tool.task","prompt":"One\\ntwo\\n","params":{}}]}';
    expect(render(read(text, "json"), "yaml")).toBe(
      "schema_version: 2\nsteps:\n  - id: a\n    type: tool.task\n    prompt: |\n      One\n      two\n    params: {}\n",
    );
  });

  test("what is wrong has its place", () => {
    expect(parse("steps:\n  - id: a\n   type: b\n", "yaml")).toMatchObject({ ok: false, problems: [{ line: 3 }] });
    expect(parse("id: a\nid: b\nsteps: []\n", "yaml")).toMatchObject({ ok: false, problems: [{ line: 2, column: 1 }] });
    expect(parse('{\n"a":1,\n}', "json")).toMatchObject({ ok: false, problems: [{ line: 3 }] });
    for (const text of ["- a", "7", ""]) expect(parse(text, "yaml")).toMatchObject({ ok: false });
    expect(parse("n: .inf", "yaml")).toMatchObject({ ok: false });
    expect(parse("1: a", "yaml")).toMatchObject({ ok: false });
  });
});

describe("the view of a document", () => {
  test("shows each step as it is written", () => {
    const flow = view(
      read(
        'schema_version: 2\nid: f\nname: F\ninputs: {a: {type: integer}}\nsteps:\n  - {id: a, type: capability.task, prompt: "Do it"}\n' +
          "  - {id: b, type: human.task, from: [a], params: {title: Ask}}\n  - {id: b, type: odd, from: a}\n  - 7\n",
      ),
    );
    expect({
      ...flow,
      steps: flow.steps.map(({ members: _, ...step }) => step),
      byKey: [...flow.byKey.keys()],
    }).toEqual({
      version: 2,
      id: "f",
      name: "F",
      description: "",
      inputs: { a: { type: "integer" } },
      byKey: ["a", "b", "b#2", "#3"],
      steps: [
        step({
          key: "a",
          index: 0,
          id: "a",
          kind: "tool.task",
          type: "capability.task",
          title: "Do it",
          prompt: "Do it",
        }),
        step({
          key: "b",
          index: 1,
          id: "b",
          kind: "human.task",
          type: "human.task",
          title: "Ask",
          from: ["a"],
          gathers: true,
        }),
        step({ key: "b#2", index: 2, id: "b", type: "odd", title: "b", from: ["a"] }),
        step({ key: "#3", index: 3 }),
      ],
    });
  });

  test("an empty document is a chain without steps", () => {
    expect(view(emptyDocument())).toMatchObject({ version: 1, id: "my-flow", steps: [] });
  });

  function step(members: object) {
    return {
      id: "",
      kind: undefined,
      type: "",
      title: "",
      from: [],
      gathers: false,
      capabilityId: undefined,
      prompt: undefined,
      ...members,
    };
  }
});
