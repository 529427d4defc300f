// Edges between steps as the canvas needs them. References to steps that do not exist have no edge.

import type { FlowView, Step } from "./document";

export interface Edge {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly kind: "handoff" | "repair";
}

export function edges(view: FlowView): Edge[] {
  const known = view.byKey;
  const all: Edge[] = [];
  for (const step of view.steps) {
    for (const source of step.from)
      if (known.has(source)) all.push({ id: `${source}→${step.key}`, source, target: step.key, kind: "handoff" });
    const repair = repairOf(step);
    if (repair && known.has(repair))
      all.push({ id: `${step.key}⟲${repair}`, source: step.key, target: repair, kind: "repair" });
  }
  return all;
}

/** Where a failed evaluation goes back to. */
export function repairOf(step: Step): string | undefined {
  const repair = step.members.repair;
  const from = typeof repair === "object" && repair !== null && "from" in repair ? repair.from : undefined;
  return typeof from === "string" ? from : undefined;
}

export function downstream(view: FlowView, key: string): Step[] {
  return view.steps.filter((step) => step.from.includes(key));
}

/** Everything a step depends on, without itself. */
export function ancestors(view: FlowView, key: string): ReadonlySet<string> {
  const seen = new Set<string>();
  const open = [...(view.byKey.get(key)?.from ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    open.push(...(view.byKey.get(next)?.from ?? []));
  }
  return seen;
}

export function wouldCycle(view: FlowView, source: string, target: string): boolean {
  return source === target || ancestors(view, source).has(target);
}

/** Each step receives from the one right before it, as version 1 wants. */
export function isChain(view: FlowView): boolean {
  return view.steps.every((step, index) => {
    const before = view.steps[index - 1];
    if (!before) return step.from.length === 0;
    return !step.gathers && step.from.length === 1 && step.from[0] === before.id;
  });
}
