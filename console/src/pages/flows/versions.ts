// Versions of a flow as its Runs tell them.

import type { RunSummary } from "~/api/types";

export interface Version {
  readonly hash: string;
  readonly nodes: number;
  readonly first: string;
  readonly last: string;
  readonly runs: number;
  /** A Run that executed it. */
  readonly run: string;
}

/** Newest first. `runs` are newest first as well, and of any saved flow with the same portable id. */
export function versionsOf(runs: readonly RunSummary[], localId: string): Version[] {
  const versions = new Map<string, Version>();
  for (const run of runs) {
    // What cannot be loaded does not tell what it executed.
    if (run.task_id !== localId || run.quarantined !== undefined) continue;
    const known = versions.get(run.flow_hash);
    versions.set(
      run.flow_hash,
      known === undefined
        ? {
            hash: run.flow_hash,
            nodes: run.node_count,
            first: run.started_at,
            last: run.started_at,
            runs: 1,
            run: run.run_id,
          }
        : { ...known, first: run.started_at, runs: known.runs + 1 },
    );
  }
  return [...versions.values()];
}

const DIGITS = 12;

export function short(hash: string): string {
  return hash.slice(0, DIGITS);
}
