import { describe, expect, test } from "vitest";
import { emptyDocument, type FlowDocument, view } from "./document";
import { followsName, freeAmong, isMadeOf, nameNew, slug, withFreeId } from "./ids";
import { setFlowField } from "./operations";

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
