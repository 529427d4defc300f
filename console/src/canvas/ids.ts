// Ids that are made of names: of a flow that was never saved, and of a step that is new. They follow their name until
// they are written by hand, which is told by whether they are still the id that the name gives.

import { type FlowDocument, type FlowView, isRecord, type Step, textOf, view } from "./document";
import { KIND_ROWS, ROLE_IDS } from "./kinds";
import { type Outcome, renameStep, setField, setFlowField } from "./operations";

/** Characters of an id that is made of a name: enough to tell it from others, short enough to be typed. */
const MADE_MAX = 48;
/** Characters that the id of a flow must have to be usable by programs. */
const FLOW_ID_MIN = 3;
/** The id of a flow whose name gives none. */
const NAMELESS = "flow";

/** Of a name what an id is usually written with; empty if there is nothing of that in it. */
export function slug(name: string): string {
  return name
    .normalize("NFKD")
    .replace(/\p{Mark}/gu, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, MADE_MAX)
    .replace(/^-+|-+$/g, "");
}

/** `stem`, or the first of `stem-2`, `stem-3`, … that is free. */
export function freeAmong(taken: ReadonlySet<string>, stem: string): string {
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? stem : `${stem}-${number}`;
    if (!taken.has(id)) return id;
  }
}

/** Whether an id is the one that `stem` gives, with or without a number. */
export function isMadeOf(id: string, stem: string): boolean {
  return id === stem || (id.startsWith(`${stem}-`) && /^\d+$/.test(id.slice(stem.length + 1)));
}

/** The ids of flows that are saved. */
export function idsOf(saved: readonly { readonly flow: Readonly<Record<string, unknown>> }[]): ReadonlySet<string> {
  return new Set(saved.flatMap(({ flow }) => textOf(flow.id) ?? []));
}

function stemOf(name: string): string {
  const stem = slug(name);
  return stem.length >= FLOW_ID_MIN ? stem : stem === "" ? NAMELESS : `${NAMELESS}-${stem}`;
}

/** Whether the id of a flow is the one that its name gives. */
export function followsName({ id, name }: Pick<FlowView, "id" | "name">): boolean {
  return isMadeOf(id, stemOf(name));
}

/** Gives a flow that was never saved another name, and the id that this one gives. */
export function nameNew(document: FlowDocument, name: string, taken: ReadonlySet<string>): Outcome {
  const named = setFlowField(document, ["name"], name);
  if ("refusal" in named || !followsName(view(document))) return named;
  return setFlowField(named.document, ["id"], freeAmong(taken, stemOf(name)));
}

/** The same document under an id that no saved flow has. */
export function withFreeId(document: FlowDocument, taken: ReadonlySet<string>): FlowDocument {
  const { id } = view(document);
  if (id === "" || !taken.has(id)) return document;
  const outcome = setFlowField(document, ["id"], freeAmong(taken, id));
  return "refusal" in outcome ? document : outcome.document;
}

/** As it is written, without what stands in for one that is missing. */
export function titleOf({ members: { params } }: Pick<Step, "members">): string {
  return textOf(isRecord(params) ? params.title : undefined) ?? "";
}

/**
 * Gives a step another title. The id of a new one follows, with whatever in the document refers to it, past the ids in
 * `known`: those are of steps that evidence may already name.
 */
export function nameStep(document: FlowDocument, key: string, title: string, known: ReadonlySet<string>): Outcome {
  const titled = setField(document, key, ["params", "title"], title === "" ? undefined : title);
  const flow = view(document);
  const step = flow.byKey.get(key);
  if ("refusal" in titled || step?.kind === undefined || known.has(step.id)) return titled;
  const plain = KIND_ROWS[step.kind].idStem;
  if (!isMadeOf(step.id, slug(titleOf(step)) || plain)) return titled;
  const others = flow.steps.flatMap(({ id }) => (id === step.id ? [] : [id]));
  // A role is chosen by its id, which a title must not do by accident.
  const taken = new Set([...known, ...others, ...(step.kind === "agent.task" ? ROLE_IDS : [])]);
  const renamed = renameStep(titled.document, key, freeAmong(taken, slug(title) || plain));
  return "refusal" in renamed ? titled : renamed;
}
