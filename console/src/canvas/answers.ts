// What follows a person's answer. An answer holds nothing of what was asked about, so a step behind a person receives
// both, and is done only if the answer is the one that is offered first.

import { type FlowView, isRecord, type Step, textOf } from "./document";
import type { Kind } from "./kinds";

/** The first of the answers that are offered where none are given. */
const APPROVE = "approve";
const NAME = /^[A-Za-z_]\w*$/;

const isPerson = (step: { readonly kind: Kind | undefined }) => step.kind === "human.task";

/** What a person sees of the work: outputs that are no answers themselves. */
export function shown(flow: FlowView, sources: readonly string[]): string[] {
  const seen = new Set<string>();
  const work = (id: string): string[] => {
    if (seen.has(id)) return [];
    seen.add(id);
    const step = flow.byKey.get(id);
    return step && isPerson(step) ? step.from.flatMap(work) : [id];
  };
  return [...new Set(sources.flatMap(work))];
}

/** What a step receives that stands behind this one. */
export function sourcesAfter(flow: FlowView, step: Step): string[] {
  return isPerson(step) ? [...shown(flow, step.from), step.id] : [step.id];
}

/** The condition under which a step behind this one is done; none behind a step that is no person. */
export function consentTo(step: Pick<Step, "id" | "kind" | "members">, gathers: boolean): string | undefined {
  if (!isPerson(step)) return undefined;
  const answer = JSON.stringify(firstAnswer(step));
  if (!gathers) return `input.option == ${answer}`;
  const id = JSON.stringify(step.id);
  const said = `input${NAME.test(step.id) ? `.${step.id}` : `[${id}]`}.option == ${answer}`;
  // A person who may not be asked may be missing.
  return step.members.when === undefined ? said : `${id} in input && ${said}`;
}

export function firstAnswer(step: Pick<Step, "members">): string {
  const params = isRecord(step.members.params) ? step.members.params : {};
  const [first] = Array.isArray(params.options) ? params.options.filter(isRecord) : [];
  return textOf(first?.id) || APPROVE;
}

/** Whether a step's condition is the one that it got for standing behind this one. */
export function isConsentTo(person: Step, step: Step): boolean {
  const { when } = step.members;
  return when !== undefined && when === consentTo(person, step.gathers);
}
