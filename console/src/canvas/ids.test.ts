import { describe, expect, test } from "vitest";
import { emptyDocument, type FlowDocument, parse, view } from "./document";
import { followsName, freeAmong, isMadeOf, nameNew, nameStep, slug, withFreeId } from "./ids";
import { insertAfter, renameStep, setFlowField } from "./operations";

function named(document: FlowDocument, name: string, taken: readonly string[] = []): FlowDocument {
  const outcome = nameNew(document, name, new Set(taken));
  if ("refusal" in outcome) throw new Error(outcome.refusal);
  return outcome.document;
}

describe("an id that is made of a name", () => {
  test("has of it what ids are written with", () => {
    expect(slug("Hello, World!")).toBe("hello-world");
    expect(slug("  Zürich – Übersicht 2 ")).toBe("zurich-ubersicht-2");
    expect(slug("你好")).toBe("");
    expect(slug("x".repeat(100))).toBe("x".repeat(48));
  });

  test("is one that nobody has", () => {
    expect(freeAmong(new Set(), "a")).toBe("a");
    expect(freeAmong(new Set(["a", "a-2"]), "a")).toBe("a-3");
    expect([isMadeOf("a", "a"), isMadeOf("a-2", "a"), isMadeOf("a-b", "a"), isMadeOf("ab", "a")]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  test("follows the name of a new flow, past those that are saved", () => {
    const empty = emptyDocument();
    expect(followsName(view(empty))).toBe(true);
    const hello = named(empty, "Hello", ["hello"]);
    expect(view(hello)).toMatchObject({ id: "hello-2", name: "Hello" });
    expect(view(named(hello, "Hello you", ["hello"]))).toMatchObject({ id: "hello-you" });
    expect(view(named(hello, ""))).toMatchObject({ id: "flow", name: "" });
    expect(view(named(hello, "Hi"))).toMatchObject({ id: "flow-hi", name: "Hi" });
    expect(view(named(named(hello, ""), "Again"))).toMatchObject({ id: "again" });
  });

  test("stays once it was written by hand", () => {
    const own = setFlowField(named(emptyDocument(), "Hello"), ["id"], "mine");
    if ("refusal" in own) throw new Error(own.refusal);
    expect(view(named(own.document, "Another"))).toMatchObject({ id: "mine", name: "Another" });
  });

  test("of a document that is begun with is changed only if a saved flow has it", () => {
    const empty = emptyDocument();
    expect(withFreeId(empty, new Set(["other"]))).toBe(empty);
    expect(view(withFreeId(empty, new Set(["my-flow"])))).toMatchObject({ id: "my-flow-2", name: "My flow" });
  });
});

describe("the id of a new step", () => {
  const read = (text: string): FlowDocument => {
    const parsed = parse(text, "yaml");
    if (!parsed.ok) throw new Error("no document");
    return parsed.document;
  };
  const ids = (document: FlowDocument) => view(document).steps.map(({ id }) => id);
  function titled(document: FlowDocument, key: string, title: string, known: readonly string[] = []): FlowDocument {
    const outcome = nameStep(document, key, title, new Set(known));
    if ("refusal" in outcome) throw new Error(outcome.refusal);
    return outcome.document;
  }
  const TWO = "schema_version: 2\nsteps: [{id: a, type: tool.task}, {id: b, type: tool.task, from: a}]";

  test("follows its title, and what refers to it follows as well", () => {
    const added = insertAfter(read(TWO), "human.task", "a");
    if ("refusal" in added) throw new Error(added.refusal);
    const asked = titled(added.document, "person", "Ask first", ["a", "b"]);
    expect(ids(asked)).toEqual(["a", "ask-first", "b"]);
    expect(view(asked).byKey.get("b")).toMatchObject({
      from: ["a", "ask-first"],
      members: { when: 'input["ask-first"].option == "approve"' },
    });
    const again = titled(asked, "ask-first", "Ask");
    expect(view(again).byKey.get("b")?.members.when).toBe('input.ask.option == "approve"');
    expect(ids(titled(again, "ask", ""))).toEqual(["a", "person", "b"]);
  });

  test("is one that no step has or had, and no role's", () => {
    const tool = read("steps: [{id: tool, type: tool.task}, {id: a, type: tool.task}]");
    expect(ids(titled(tool, "tool", "A"))).toEqual(["a-2", "a"]);
    expect(ids(titled(tool, "tool", "Gone", ["gone"]))).toEqual(["gone-2", "a"]);
    const agent = read("steps: [{id: agent, type: agent.task}]");
    expect(ids(titled(agent, "agent", "Review draft"))).toEqual(["review-draft-2"]);
  });

  test("stays when it was there before, or was written by hand", () => {
    const tool = read("steps: [{id: tool, type: tool.task}]");
    expect(ids(titled(tool, "tool", "Draft", ["tool"]))).toEqual(["tool"]);
    const own = renameStep(tool, "tool", "mine");
    if ("refusal" in own) throw new Error(own.refusal);
    expect(ids(titled(own.document, "mine", "Draft"))).toEqual(["mine"]);
  });
});
