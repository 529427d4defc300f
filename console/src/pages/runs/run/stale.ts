// What a fork takes over although it was made with the inputs as they were. Pure; follows the rule of a replay.

import { downstream } from "./downstream";
import type { RunGraph, RunNode } from "./graph";

export interface Stale {
  readonly id: string;
  /** It reads the inputs itself; otherwise it builds on a node that does. */
  readonly reads: boolean;
}

/** Rules that hold expressions, and so may read the Flow input from anywhere. */
const EXPRESSIONS: ReadonlySet<string> = new Set(["when", "for_each", "subflow"]);

/** In the order of the flow. */
export function stale(graph: RunGraph, nodeId: string): Stale[] {
  const again = new Set(downstream(graph, nodeId));
  const made = new Map(graph.nodes.filter(readsInputs).map(({ id }) => [id, true]));
  const reached = graph.nodes.filter(readsInputs).flatMap(({ id }) => downstream(graph, id));
  for (const id of reached) if (!made.has(id)) made.set(id, false);
  return graph.nodes.flatMap(({ id }) => {
    const reads = made.get(id);
    return reads === undefined || again.has(id) ? [] : [{ id, reads }];
  });
}

/** The node from which a fork would make all of it again; null when there is no such single node. */
export function madeAgainFrom(graph: RunGraph, kept: readonly Stale[]): string | null {
  const covers = ({ id }: Stale) => {
    const again = new Set(downstream(graph, id));
    return kept.every((one) => again.has(one.id));
  };
  return kept.find(covers)?.id ?? null;
}

/** It receives the Flow input, judges by it, or has an expression that can read it. */
function readsInputs(node: RunNode): boolean {
  return (
    node.from.length === 0 || node.kind === "evaluation.task" || node.rules.some(([name]) => EXPRESSIONS.has(name))
  );
}
