import { describe, expect, test } from "vitest";
import { type FlowDocument, parse } from "./document";
import { createEditor, documentOf, isDirty, viewOf } from "./editor";
import type { Places } from "./layout";
import { addStep, connect, type Note, remove, renameStep, setField } from "./operations";

function read(text: string): FlowDocument {
  const parsed = parse(text, "yaml");
  if (!parsed.ok) throw new Error("no document");
  return parsed.document;
}

function open(text: string, moved: Places = new Map()) {
  const told: Note[] = [];
  const refused: string[] = [];
  const places: Places[] = [];
  const document = read(text);
  const store = createEditor(document, document, moved, {
    told: (notes) => void told.push(...notes),
    refused: (refusal) => void refused.push(refusal),
    moved: (now) => void places.push(now),
  });
  return { store, told, refused, places };
}

const TWO = "schema_version: 2\nsteps: [{id: a, type: tool.task}, {id: b, type: tool.task, from: a}]";

describe("an editor", () => {
  test("selects what an operation made, and undoing it leaves nothing selected that is gone", () => {
    const { store } = open(TWO);
    store.getState().change((document) => addStep(document, "tool.task", "b"));
    expect([...store.getState().steps]).toEqual(["tool"]);
    expect(isDirty(store.getState())).toBe(true);
    store.getState().undo();
    expect([...store.getState().steps]).toEqual([]);
    expect(isDirty(store.getState())).toBe(false);
  });

  test("says what was refused, and changes nothing", () => {
    const { store, refused } = open(TWO);
    const before = documentOf(store.getState());
    expect(store.getState().change((document) => connect(document, "b", "a"))).toBe("cycle");
    expect([refused, documentOf(store.getState()) === before]).toEqual([["cycle"], true]);
  });

  test("changes nothing while the text cannot be read; undoing gives up that text", () => {
    const { store, refused } = open(TWO);
    store.getState().change((document) => setField(document, "a", ["prompt"], "x"));
    store.getState().setBroken(true);
    store.getState().change((document) => remove(document, ["a"]));
    expect(refused).toEqual(["text_broken"]);
    store.getState().undo();
    expect([store.getState().broken, isDirty(store.getState())]).toEqual([false, false]);
  });

  test("a step that was moved by hand stays there under another id, and moving can be undone", () => {
    const { store, places } = open(TWO);
    store.getState().move(
      new Map([
        ["a", { x: 1, y: 2 }],
        ["b", { x: 3, y: 4 }],
      ]),
    );
    store.getState().change((document) => renameStep(document, "a", "z"));
    expect(store.getState().history.present.moved.get("z")).toEqual({ x: 1, y: 2 });
    store.getState().undo();
    store.getState().undo();
    expect(store.getState().history.present.moved.size).toBe(0);
    expect(places.at(-1)?.size).toBe(0);
  });

  test("what saving wrote is no change, unless the author went on meanwhile", () => {
    const { store } = open(TWO);
    store.getState().change((document) => setField(document, "a", ["prompt"], "x"));
    const sent = documentOf(store.getState());
    const pinned = read(`${TWO}\npinned: true`);
    store.getState().settle(sent, pinned);
    expect([isDirty(store.getState()), documentOf(store.getState()) === pinned]).toEqual([false, true]);
    store.getState().change((document) => setField(document, "a", ["prompt"], "y"));
    store.getState().settle(pinned, read(TWO));
    expect(isDirty(store.getState())).toBe(true);
    expect(viewOf(store.getState()).byKey.get("a")?.prompt).toBe("y");
  });
});
