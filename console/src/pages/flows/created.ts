// A flow that was just saved for the first time, handed from the page that made it to the page it has now.

import type { LoadedFlow } from "~/api/documents";

const handed = new Map<string, LoadedFlow>();

export function handOver(flow: LoadedFlow): void {
  handed.set(flow.saved.flow_id, flow);
}

export function handedOver(localId: string): LoadedFlow | undefined {
  return handed.get(localId);
}

export function taken(localId: string): void {
  handed.delete(localId);
}
