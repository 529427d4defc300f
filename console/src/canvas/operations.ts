// What an author can do to a document, as functions from one document to the next. A chain (version 1) stays one while
// it is one; an operation that needs a graph raises it to version 2 and says so.

import { consentTo, firstAnswer, isConsentTo, shown, sourcesAfter } from "./answers";
import { type FlowDocument, type FlowView, isRecord, type Step, textOf, view } from "./document";
import { editSteps, renameMember, type Steps, setMember } from "./edit";
import { renameReference } from "./expressions";
import { downstream, isChain, repairOf, wouldCycle } from "./graph";
import { bindingNeedsGraph, GRAPH_FIELDS, KIND_ROWS, type Kind } from "./kinds";

/** Something the author should know about what an operation did besides. */
export type Note =
  | { readonly about: "raised"; readonly because: RaiseReason; readonly wakes: readonly string[] }
  | { readonly about: "repair_removed"; readonly step: string }
  | { readonly about: "gathers"; readonly step: string }
  | { readonly about: "receives_one"; readonly step: string }
  | { readonly about: "consent"; readonly step: string; readonly person: string; readonly answer: string };

export type RaiseReason = "asked" | "branch" | "kind" | "rule" | "binding";

export type Refusal = "cycle" | "known_edge" | "id_taken" | "id_blank" | "id_long" | "name_taken" | "too_new" | "gone";

export type Outcome =
  | { readonly document: FlowDocument; readonly notes: readonly Note[]; readonly key?: string }
  | { readonly refusal: Refusal };

export const STEP_ID_MAX = 120;
const NEWEST = 2;

function done(document: FlowDocument, notes: readonly Note[] = [], key?: string): Outcome {
  return key === undefined ? { document, notes } : { document, notes, key };
}

/** Fields that a chain carries without meaning; in a graph they count. */
function sleeping(flow: FlowView): string[] {
  return flow.steps.flatMap((step) =>
    GRAPH_FIELDS.filter((field) => step.members[field] !== undefined && step.members[field] !== null).map(
      (field) => `${step.id}: ${field}`,
    ),
  );
}

/** Makes the document a graph, if it is none. */
export function raise(document: FlowDocument, because: RaiseReason): { document: FlowDocument; notes: Note[] } {
  const flow = view(document);
  if (flow.version >= NEWEST) return { document, notes: [] };
  const note: Note = { about: "raised", because, wakes: sleeping(flow) };
  return { document: setMember(document, ["schema_version"], NEWEST), notes: [note] };
}

/** Raises what has stopped being a chain. */
function settled(document: FlowDocument, notes: readonly Note[], key?: string, because?: RaiseReason): Outcome {
  const flow = view(document);
  const reason = because ?? (isChain(flow) ? undefined : "branch");
  if (flow.version >= NEWEST || reason === undefined) return done(document, notes, key);
  // What slept before the operation is what wakes; a field that the operation set is meant.
  const raised = raise(document, reason);
  return done(raised.document, [...raised.notes, ...notes], key);
}

function isTooNew(flow: FlowView): boolean {
  return flow.version > NEWEST;
}

/** A step id that nobody has. */
export function freeId(flow: FlowView, stem: string): string {
  const taken = new Set(flow.steps.map((step) => step.id));
  for (let number = 1; ; number += 1) {
    const id = number === 1 ? stem : `${stem}-${number}`;
    if (!taken.has(id)) return id;
  }
}

function starter(kind: Kind, id: string, from: readonly string[], when?: string): Record<string, unknown> {
  const members: Record<string, unknown> = { id, type: kind, from: from.length > 1 ? [...from] : (from[0] ?? null) };
  if (kind === "human.task") members.prompt = "Is this good to go?";
  if (when !== undefined) members.when = when;
  if (kind === "flow.task") members.params = { flow_id: "" };
  return members;
}

/** What a new step behind `source` receives, and when it is done. */
function behind(flow: FlowView, source: Step): { from: string[]; when: string | undefined } {
  const from = sourcesAfter(flow, source);
  return { from, when: consentTo(source, from.length > 1) };
}

function consented(step: string, person: Pick<Step, "id" | "members">): Note {
  return { about: "consent", step, person: person.id, answer: firstAnswer(person) };
}

/** A new step that receives from `from`, or the Flow input. Behind a person it receives what that one saw as well. */
export function addStep(document: FlowDocument, kind: Kind, from: string | null): Outcome {
  const flow = view(document);
  if (isTooNew(flow)) return { refusal: "too_new" };
  const source = from === null ? undefined : flow.byKey.get(from);
  if (from !== null && !source) return { refusal: "gone" };
  const id = freeId(flow, KIND_ROWS[kind].idStem);
  const place = source ? behind(flow, source) : { from: [], when: undefined };
  const next = editSteps(document, (steps) =>
    steps.insert(source ? source.index + 1 : flow.steps.length, starter(kind, id, place.from, place.when)),
  );
  const notes = source && place.when !== undefined ? [consented(id, source)] : [];
  return settled(next, notes, id, KIND_ROWS[kind].needsGraph ? "kind" : undefined);
}

/** A new step between a step and all that receive from it. Behind a new person they receive what it was shown as well. */
export function insertAfter(document: FlowDocument, kind: Kind, after: string): Outcome {
  const flow = view(document);
  if (isTooNew(flow)) return { refusal: "too_new" };
  const source = flow.byKey.get(after);
  if (!source) return { refusal: "gone" };
  const id = freeId(flow, KIND_ROWS[kind].idStem);
  const { from, when } = behind(flow, source);
  // First of all, so that a condition that is set here is not taken for one that slept.
  const raised = KIND_ROWS[kind].needsGraph ? raise(document, "kind") : { document, notes: [] };
  const notes: Note[] = when === undefined ? [...raised.notes] : [...raised.notes, consented(id, source)];
  const members = starter(kind, id, from, when);
  const isAsked = kind === "human.task";
  const handed = isAsked ? [...shown(flow, from), id] : [id];
  // What the new step takes over from a person is not received twice.
  const over = new Set(from.filter((one) => one !== source.id));
  const next = editSteps(raised.document, (steps) => {
    for (const step of downstream(flow, after)) {
      const kept = step.from.filter((one) => !over.has(one));
      const sources = replaceIn(kept, source.id, handed);
      const gathers = sources.length > 1 || (step.gathers && over.size === 0);
      writeFrom(steps, step, sources, gathers);
      const isFree = step.members.when === undefined || isConsentTo(source, step);
      if (isFree && isAsked) {
        steps.set(step.index, ["when"], consentTo({ id, kind, members }, gathers));
        notes.push(consented(step.id, { id, members }));
      } else {
        if (isFree) steps.set(step.index, ["when"], undefined);
        if (gathers && !step.gathers) notes.push({ about: "gathers", step: step.id });
      }
    }
    steps.insert(source.index + 1, members);
  });
  return settled(next, notes, id);
}

/** A copy beside the step, which receives the same and is read by nobody. */
export function duplicate(document: FlowDocument, key: string): Outcome {
  const flow = view(document);
  const step = flow.byKey.get(key);
  if (isTooNew(flow)) return { refusal: "too_new" };
  if (!step) return { refusal: "gone" };
  const id = freeId(flow, `${step.id}-copy`.slice(0, STEP_ID_MAX - 4));
  const next = editSteps(document, (steps) => steps.insert(step.index + 1, { ...step.members, id }));
  return settled(next, [], id);
}

function writeFrom(steps: Steps, step: Step, from: readonly string[], gathers: boolean): void {
  const [only] = from;
  steps.set(step.index, ["from"], gathers && from.length > 0 ? [...from] : (only ?? null));
}

function replaceIn(from: readonly string[], old: string, by: readonly string[]): string[] {
  return [...new Set(from.flatMap((id) => (id === old ? by : [id])))];
}

export function connect(document: FlowDocument, source: string, target: string): Outcome {
  const flow = view(document);
  if (isTooNew(flow)) return { refusal: "too_new" };
  const [from, to] = [flow.byKey.get(source), flow.byKey.get(target)];
  if (!from || !to) return { refusal: "gone" };
  if (to.from.includes(from.id)) return { refusal: "known_edge" };
  if (wouldCycle(flow, source, target)) return { refusal: "cycle" };
  const gathers = to.from.length > 0;
  const notes: Note[] = gathers && !to.gathers ? [{ about: "gathers", step: to.id }] : [];
  const next = editSteps(document, (steps) => writeFrom(steps, to, [...to.from, from.id], gathers || to.gathers));
  return settled(next, notes, target);
}

export function disconnect(document: FlowDocument, source: string, target: string): Outcome {
  const flow = view(document);
  if (isTooNew(flow)) return { refusal: "too_new" };
  const [from, to] = [flow.byKey.get(source), flow.byKey.get(target)];
  if (!from || !to) return { refusal: "gone" };
  const rest = to.from.filter((id) => id !== from.id);
  // One that is left is handed over as it is, as an edge that was drawn alone would be.
  const notes: Note[] = to.gathers && rest.length === 1 ? [{ about: "receives_one", step: to.id }] : [];
  const next = editSteps(document, (steps) => writeFrom(steps, to, rest, rest.length > 1));
  return settled(next, notes, target);
}

/** Whether a step with one source receives `{id: output}` or the output itself. */
export function setGathers(document: FlowDocument, key: string, gathers: boolean): Outcome {
  const step = view(document).byKey.get(key);
  if (!step) return { refusal: "gone" };
  if (step.from.length !== 1) return done(document);
  return settled(
    editSteps(document, (steps) => writeFrom(steps, step, step.from, gathers)),
    [],
    key,
  );
}

/** Takes steps out. What received from one that had a single source receives from that source. */
export function remove(document: FlowDocument, keys: readonly string[]): Outcome {
  if (isTooNew(view(document))) return { refusal: "too_new" };
  const notes: Note[] = [];
  let next = document;
  for (const key of keys) {
    const flow = view(next);
    const gone = flow.byKey.get(key);
    if (!gone) continue;
    const heirs = gone.from.length === 1 ? gone.from : [];
    const isNamed = key === gone.id;
    next = editSteps(next, (steps) => {
      for (const step of isNamed ? flow.steps : []) {
        if (step === gone) continue;
        if (step.from.includes(gone.id)) {
          const rest = replaceIn(step.from, gone.id, heirs);
          if (step.gathers && rest.length === 1) notes.push({ about: "receives_one", step: step.id });
          writeFrom(steps, step, rest, step.gathers && rest.length > 1);
          if (isConsentTo(gone, step)) steps.set(step.index, ["when"], undefined);
        }
        if (repairOf(step) === gone.id) {
          steps.set(step.index, ["repair"], undefined);
          notes.push({ about: "repair_removed", step: step.id });
        }
      }
      steps.remove(gone.index);
    });
  }
  const left = new Set(view(next).steps.map((step) => step.id));
  return settled(
    next,
    notes.filter((note) => !("step" in note) || left.has(note.step)),
  );
}

/** Gives a step another id, wherever it is named. */
export function renameStep(document: FlowDocument, key: string, wanted: string): Outcome {
  const flow = view(document);
  const step = flow.byKey.get(key);
  const id = wanted.trim();
  if (isTooNew(flow)) return { refusal: "too_new" };
  if (!step) return { refusal: "gone" };
  if (id === "") return { refusal: "id_blank" };
  if (id.length > STEP_ID_MAX) return { refusal: "id_long" };
  if (id === step.id) return done(document, [], key);
  if (flow.byKey.has(id)) return { refusal: "id_taken" };
  const isNamed = key === step.id;
  const next = editSteps(document, (steps) => {
    steps.set(step.index, ["id"], id);
    for (const other of isNamed ? flow.steps : []) renameIn(steps, other, step, id);
  });
  return done(next, [], id);
}

function renameIn(steps: Steps, step: Step, named: Step, to: string): void {
  const from = named.id;
  const reads = step.from.includes(from);
  if (reads) writeFrom(steps, step, replaceIn(step.from, from, [to]), step.gathers);
  if (repairOf(step) === from) steps.set(step.index, ["repair", "from"], to);
  const roots = reads && step.gathers ? ["nodes", "input"] : ["nodes"];
  const rename = (path: [string, ...string[]], value: unknown) => {
    const expression = textOf(value);
    if (expression === undefined) return;
    const renamed = renameReference(expression, roots, from, to);
    if (renamed !== expression) steps.set(step.index, path, renamed);
  };
  const { when, for_each: each, params } = step.members;
  // As it would be set anew, so that it is still known as what waits for that person.
  if (isConsentTo(named, step)) steps.set(step.index, ["when"], consentTo({ ...named, id: to }, step.gathers));
  else rename(["when"], when);
  if (isRecord(each)) rename(["for_each", "items"], each.items);
  const inputs = isRecord(params) ? params.inputs : undefined;
  if (step.kind === "flow.task" && isRecord(inputs))
    for (const [name, value] of Object.entries(inputs)) rename(["params", "inputs", name], value);
}

/** Sets a field of a step, or takes it away with `undefined`. Rules of graphs raise a chain. */
export function setField(
  document: FlowDocument,
  key: string,
  path: readonly [string, ...string[]],
  value: unknown,
): Outcome {
  const flow = view(document);
  const step = flow.byKey.get(key);
  if (isTooNew(flow)) return { refusal: "too_new" };
  if (!step) return { refusal: "gone" };
  const isRule = (GRAPH_FIELDS as readonly string[]).includes(path[0]) && value !== undefined;
  const raised = isRule ? raise(document, "rule") : { document, notes: [] };
  const next = editSteps(raised.document, (steps) => steps.set(step.index, path, value));
  return done(asked(flow, step, next), raised.notes, key);
}

/** What waits for a person's consent goes on doing so when the answers get other names. */
function asked(before: FlowView, person: Step, document: FlowDocument): FlowDocument {
  const now = view(document).byKey.get(person.key);
  const waiting = downstream(before, person.id).filter((step) => isConsentTo(person, step));
  const moved = waiting.filter((step) => now && consentTo(now, step.gathers) !== step.members.when);
  if (now === undefined || moved.length === 0) return document;
  return editSteps(document, (steps) => {
    for (const step of moved) steps.set(step.index, ["when"], consentTo(now, step.gathers));
  });
}

/** Binds a step to a capability; the pin of the one before goes, and saving writes the new one. */
export function bind(document: FlowDocument, key: string, capability: { id: string; kind: string } | null): Outcome {
  const flow = view(document);
  const step = flow.byKey.get(key);
  if (isTooNew(flow)) return { refusal: "too_new" };
  if (!step) return { refusal: "gone" };
  const next = editSteps(document, (steps) => {
    steps.set(step.index, ["params", "capability_fingerprint"], undefined);
    steps.set(step.index, ["params", "capability_id"], capability?.id);
  });
  return capability && bindingNeedsGraph(capability.kind) ? settled(next, [], key, "binding") : done(next, [], key);
}

/** Sets a member of the document itself. */
export function setFlowField(document: FlowDocument, path: readonly [string, ...string[]], value: unknown): Outcome {
  if (isTooNew(view(document))) return { refusal: "too_new" };
  return done(setMember(document, path, value));
}

export function renameInput(document: FlowDocument, from: string, to: string): Outcome {
  const flow = view(document);
  if (isTooNew(flow)) return { refusal: "too_new" };
  if (from === to) return done(document);
  if (Object.hasOwn(flow.inputs, to)) return { refusal: "name_taken" };
  return done(renameMember(document, "inputs", from, to));
}
