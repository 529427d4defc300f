// What the report was written with: which Runs it is about, and the recorded answers of the API.

import type { Recording } from "~/api/recorded";

export interface Island {
  /** Of the shape of this island. */
  readonly version: 1;
  readonly made_at: string;
  readonly segue: string;
  /** The file, written with the page, that has all evidence. */
  readonly kept_in: string;
  /** Bytes of evidence that a page has room for. */
  readonly room: number;
  readonly left_out: LeftOut;
  readonly run_ids: readonly string[];
  readonly answers: Recording;
}

/** How much of what there was no room for. */
export interface LeftOut {
  readonly nodes: number;
  readonly events: number;
  readonly artifacts: number;
  readonly others: number;
}

/** Null for a report that was not filled, such as the one that the build makes. */
export function readIsland(document: Document): Island | null {
  const text = document.getElementById("recording")?.textContent ?? "null";
  const island = JSON.parse(text) as Island | null;
  return island?.version === 1 ? island : null;
}
