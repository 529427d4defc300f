// One flow being edited: its document with what can be undone, what is selected, where steps stand. Pages and panels
// call `change` with an operation; what it did besides is told to the author.

import { createContext, useContext } from "react";
import { createStore, type StoreApi, useStore } from "zustand";
import { type FlowDocument, type FlowView, view } from "./document";
import { begin, commit, type History, redo, undo } from "./history";
import type { Places } from "./layout";
import type { Note, Outcome, Refusal } from "./operations";

/** What can be undone: the document and where its steps stand. */
export interface Sheet {
  readonly document: FlowDocument;
  readonly moved: Places;
}

export type EditRefusal = Refusal | "text_broken";

export interface Editor {
  readonly history: History<Sheet>;
  /** As the server has it; `null` for a flow that was never saved. */
  readonly saved: FlowDocument | null;
  /** As it was begun with. */
  readonly opened: FlowDocument;
  readonly steps: ReadonlySet<string>;
  readonly edge: string | null;
  /** A new step that is to get its name next. */
  readonly naming: string | null;
  /** The text of the document is being written and cannot be read. */
  readonly broken: boolean;

  /** Carries out an operation. Changes about the same follow each other as one; gives the refusal, if any. */
  readonly change: (operation: (document: FlowDocument) => Outcome, about?: string) => EditRefusal | null;
  /** Carries out an operation that makes a step, whose name is asked for then. */
  readonly add: (operation: (document: FlowDocument) => Outcome) => EditRefusal | null;
  readonly named: () => void;
  /** Puts another document in place of this one, as writing its text does. */
  readonly replace: (document: FlowDocument, about?: string) => void;
  readonly move: (moved: Places, about?: string) => void;
  readonly undo: () => void;
  readonly redo: () => void;
  readonly select: (steps: Iterable<string>, edge?: string | null) => void;
  readonly setBroken: (broken: boolean) => void;
  /** The server has this document now. Without changes since, it is the present one. */
  readonly settle: (sent: FlowDocument, saved: FlowDocument) => void;
}

export type EditorStore = StoreApi<Editor>;

export interface Telling {
  readonly told: (notes: readonly Note[]) => void;
  readonly refused: (refusal: EditRefusal) => void;
  readonly moved: (places: Places) => void;
}

export function createEditor(
  document: FlowDocument,
  saved: FlowDocument | null,
  moved: Places,
  telling: Telling,
): EditorStore {
  return createStore<Editor>()((set, get) => {
    const jump = (history: History<Sheet>) => {
      const before = get().history;
      if (before === history) return;
      set({ history, broken: false, ...kept(get(), history.present.document) });
      if (before.present.moved !== history.present.moved) telling.moved(history.present.moved);
    };
    return {
      history: begin({ document, moved }),
      saved,
      opened: document,
      steps: new Set<string>(),
      edge: null,
      naming: null,
      broken: false,

      change: (operation, about) => {
        const { history, broken } = get();
        const outcome: Outcome | { refusal: EditRefusal } = broken
          ? { refusal: "text_broken" }
          : operation(history.present.document);
        if ("refusal" in outcome) {
          telling.refused(outcome.refusal);
          return outcome.refusal;
        }
        const next = { document: outcome.document, moved: carried(history.present, outcome) };
        if (next.document !== history.present.document) set({ history: commit(history, next, about) });
        if (outcome.key !== undefined) set({ steps: new Set([outcome.key]), edge: null });
        else set(kept(get(), outcome.document));
        telling.told(outcome.notes);
        return null;
      },
      add: (operation) => {
        const refusal = get().change(operation);
        const [key = null] = get().steps;
        if (refusal === null) set({ naming: key });
        return refusal;
      },
      named: () => set({ naming: null }),
      replace: (document, about) => {
        const { history } = get();
        set({
          history: commit(history, { document, moved: history.present.moved }, about),
          broken: false,
          ...kept(get(), document),
        });
      },
      move: (places, about) => {
        const { history } = get();
        set({ history: commit(history, { document: history.present.document, moved: places }, about) });
        telling.moved(places);
      },
      undo: () => jump(undo(get().history)),
      redo: () => jump(redo(get().history)),
      select: (steps, edge = null) => set({ steps: new Set(steps), edge }),
      setBroken: (broken) => set({ broken }),
      settle: (sent, saved) => {
        const { history } = get();
        const { present } = history;
        // What saving wrote into the document (pins) is no change of the author's.
        if (present.document !== sent) set({ saved: sent });
        else set({ saved, history: { ...history, present: { ...present, document: saved }, about: undefined } });
      },
    };
  });
}

/** A step that got another id stays where it was put. */
function carried(sheet: Sheet, outcome: { document: FlowDocument; key?: string }): Places {
  const { key } = outcome;
  if (key === undefined || sheet.moved.size === 0 || sheet.moved.has(key)) return sheet.moved;
  const now = view(outcome.document);
  const gone = view(sheet.document).steps.filter((step) => !now.byKey.has(step.key));
  const place = gone.length === 1 && gone[0] ? sheet.moved.get(gone[0].key) : undefined;
  return place && now.byKey.has(key) ? new Map([...sheet.moved, [key, place]]) : sheet.moved;
}

/** What is still there of what was selected. */
function kept({ steps, edge }: Editor, document: FlowDocument): Pick<Editor, "steps" | "edge"> {
  const { byKey } = view(document);
  const left = [...steps].filter((key) => byKey.has(key));
  return { steps: left.length === steps.size ? steps : new Set(left), edge: left.length === 0 ? edge : null };
}

export const EditorContext = createContext<EditorStore | null>(null);

export function useEditorStore(): EditorStore {
  const store = useContext(EditorContext);
  if (store === null) throw new Error("an editor's part was put outside of an editor");
  return store;
}

export function useEditor<T>(select: (editor: Editor) => T): T {
  return useStore(useEditorStore(), select);
}

export const documentOf = (editor: Editor): FlowDocument => editor.history.present.document;
export const viewOf = (editor: Editor): FlowView => view(documentOf(editor));
/** Ids of steps that were there before this edit; evidence may name them. */
export const knownSteps = ({ opened, saved }: Editor): ReadonlySet<string> =>
  new Set([opened, saved].flatMap((one) => (one === null ? [] : view(one).steps.map(({ id }) => id))));
export const isDirty = (editor: Editor): boolean => editor.broken || documentOf(editor) !== editor.saved;
