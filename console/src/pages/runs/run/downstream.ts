// What depends on a node.

import type { RunGraph } from "./graph";

/** The node and everything that receives from it, directly or not, in the order of the flow. */
export function downstream(graph: RunGraph, nodeId: string): string[] {
  const receivers = new Map<string, string[]>();
  for (const node of graph.nodes) {
    for (const source of node.from) receivers.set(source, [...(receivers.get(source) ?? []), node.id]);
  }
  const reached = new Set([nodeId]);
  // A set that grows while it is walked: what is added is walked too.
  for (const id of reached) for (const next of receivers.get(id) ?? []) reached.add(next);
  return graph.nodes.filter((node) => reached.has(node.id)).map((node) => node.id);
}
