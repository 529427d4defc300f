// What the report was written with: which Runs it is about, and the recorded answers of the API.

import type { Recording } from "~/api/recorded";

export interface Island {
  /** Of the shape of this island. */
  readonly version: 1;
  readonly made_at: string;
  readonly segue: string;
  readonly run_ids: readonly string[];
  readonly answers: Recording;
}

/** Null for a report that was not filled, such as the one that the build makes. */
export function readIsland(document: Document): Island | null {
  const text = document.getElementById("recording")?.textContent ?? "null";
  const island = JSON.parse(text) as Island | null;
  return island?.version === 1 ? island : null;
}
