// The kinds of steps, to add by press or by drag; and the same by keys, with a list to pick from.

import { Command } from "cmdk";
import type { DragEvent } from "react";
import { useState } from "react";
import { useShortcuts } from "~/components/shortcuts";
import { useTypedAhead } from "~/components/typedAhead";
import { flows as text } from "~/text/en/flows";
import { Button } from "~/ui/Button";
import { Dialog } from "~/ui/Dialog";
import type { FlowDocument, FlowView } from "./document";
import { type EditorStore, useEditorStore, viewOf } from "./editor";
import { KIND_MIME, takeOut } from "./FlowCanvas";
import { downstream, wouldCycle } from "./graph";
import { KINDS, type Kind } from "./kinds";
import { KIND_ICONS } from "./nodes/look";
import { addStep, connect, duplicate, insertAfter, type Outcome } from "./operations";

/** What a new step receives from if nothing is selected: the last one that nobody receives from. */
function lastOf(flow: FlowView): string | null {
  return flow.steps.findLast((step) => downstream(flow, step.id).length === 0)?.key ?? null;
}

function only(store: EditorStore): string | null {
  const { steps } = store.getState();
  const [key] = steps;
  return steps.size === 1 && key !== undefined ? key : null;
}

/** Behind the selected step: a chain stays a chain, a graph gets a branch. */
function added(store: EditorStore, kind: Kind): void {
  const flow = viewOf(store.getState());
  const after = only(store) ?? lastOf(flow);
  store
    .getState()
    .add(
      (document): Outcome =>
        after !== null && flow.version < 2 ? insertAfter(document, kind, after) : addStep(document, kind, after),
    );
}

type Picking = "add" | "insert" | "connect";

export function StepPalette() {
  const store = useEditorStore();
  const [picking, setPicking] = useState<Picking | null>(null);
  const walk = (by: number) => {
    const { steps } = viewOf(store.getState());
    const at = steps.findIndex((step) => step.key === only(store));
    const next = steps[(at + by + steps.length) % steps.length] ?? steps[0];
    if (next) store.getState().select([next.key]);
  };
  const withOne = (act: (key: string) => void) => () => {
    const key = only(store);
    if (key !== null) act(key);
  };
  const change = (operation: (document: FlowDocument) => Outcome) => void store.getState().change(operation);
  const words = text.canvas.shortcuts;
  useShortcuts("page", [
    { keys: "a", label: words.add, run: () => setPicking("add") },
    { keys: "c", label: words.connect, run: withOne(() => setPicking("connect")) },
    { keys: "i", label: words.insert, run: withOne(() => setPicking("insert")) },
    { keys: "d", label: words.duplicate, run: withOne((key) => change((document) => duplicate(document, key))) },
    { keys: "[", label: words.previous, run: () => walk(-1) },
    { keys: "]", label: words.next, run: () => walk(1) },
    {
      keys: "Delete",
      label: words.remove,
      run: () => {
        const { steps, edge } = store.getState();
        takeOut(store, [...steps], edge === null ? [] : [edge]);
      },
    },
  ]);

  const pick = (value: string) => {
    const key = only(store);
    setPicking(null);
    if (picking === "add") added(store, value as Kind);
    else if (picking === "insert" && key !== null)
      store.getState().add((document) => insertAfter(document, value as Kind, key));
    else if (picking === "connect" && key !== null) change((document) => connect(document, key, value));
  };

  return (
    <>
      <div
        role="toolbar"
        aria-label={text.canvas.palette}
        title={text.canvas.paletteHint}
        className="flex shrink-0 items-center gap-1 overflow-x-auto border-line border-b bg-surface px-2 py-1.5"
      >
        {KINDS.map((kind) => (
          <Button
            key={kind}
            size="sm"
            variant="ghost"
            icon={KIND_ICONS[kind]}
            aria-label={text.canvas.add(text.kinds[kind])}
            title={text.kindHints[kind]}
            draggable
            onDragStart={(event: DragEvent) => {
              event.dataTransfer.setData(KIND_MIME, kind);
              event.dataTransfer.effectAllowed = "copy";
            }}
            onClick={() => added(store, kind)}
          >
            {text.kinds[kind]}
          </Button>
        ))}
      </div>
      {picking === null ? null : (
        <Pick picking={picking} from={only(store)} onPick={pick} onClose={() => setPicking(null)} />
      )}
    </>
  );
}

interface PickProps {
  picking: Picking;
  from: string | null;
  onPick: (value: string) => void;
  onClose: () => void;
}

function Pick({ picking, from, onPick, onClose }: PickProps) {
  const flow = viewOf(useEditorStore().getState());
  useTypedAhead(true);
  const words = text.canvas.pick;
  const title = picking === "connect" ? words.connect(from ?? "") : words[picking];
  const choices =
    picking === "connect"
      ? flow.steps
          .filter((step) => from !== null && !wouldCycle(flow, from, step.key) && !step.from.includes(from))
          .map((step) => ({ value: step.key, label: step.title || step.key, hint: step.key }))
      : KINDS.map((kind) => ({ value: kind as string, label: text.kinds[kind], hint: text.kindHints[kind] }));
  return (
    <Dialog open onOpenChange={(open) => open || onClose()} title={title} width="sm">
      <Command label={title} loop>
        <Command.Input
          autoFocus
          placeholder={words.placeholder}
          className="mb-2 h-9 w-full rounded-md border border-line-strong bg-surface px-2.5 text-sm"
        />
        <Command.List className="max-h-72 overflow-y-auto">
          <Command.Empty className="px-2 py-4 text-ink-2 text-sm">
            {choices.length === 0 ? words.none : words.nothing}
          </Command.Empty>
          {choices.map(({ value, label, hint }) => (
            <Command.Item
              key={value}
              value={`${label} ${value}`}
              onSelect={() => onPick(value)}
              className="flex cursor-default items-baseline gap-2 rounded-md px-2 py-1.5 text-sm data-[selected=true]:bg-hover"
            >
              <span className="shrink-0 font-medium">{label}</span>
              <span className="min-w-0 truncate text-ink-3 text-xs">{hint}</span>
            </Command.Item>
          ))}
        </Command.List>
      </Command>
    </Dialog>
  );
}
