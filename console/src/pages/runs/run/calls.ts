// The calls of a node's executor, from its events. A call ends with the first event that says how one came out; calls of
// a list's items end in the order in which they were begun, since the published events do not number them.

import type { RunEvent } from "~/api/types";
import { detailOf } from "./eventText";

export interface Call {
  readonly number: number;
  readonly startedAt: string;
  readonly endedAt: string | null;
  /** The type of the event that ended it. */
  readonly outcome: string | null;
  readonly message: string;
}

const ENDS: ReadonlySet<string> = new Set([
  "result.accepted",
  "item.accepted",
  "attempt.failed",
  "attempt.lost",
  "attempt.ended",
  "node.uncertain",
]);

/** These end whatever is under way. */
const ENDS_ALL: ReadonlySet<string> = new Set(["node.failed", "node.cancelled", "node.succeeded"]);

export function callsOf(events: readonly RunEvent[]): Call[] {
  const calls: Call[] = [];
  const open: number[] = [];
  const end = (at: number, event: RunEvent) => {
    const call = calls[at];
    if (call === undefined) return;
    calls[at] = { ...call, endedAt: event.recorded_at, outcome: event.event_type, message: detailOf(event) };
  };
  for (const event of events) {
    if (event.event_type === "executor.started") {
      open.push(calls.length);
      calls.push({ number: calls.length + 1, startedAt: event.recorded_at, endedAt: null, outcome: null, message: "" });
    } else if (ENDS.has(event.event_type)) {
      const at = open.shift();
      if (at !== undefined) end(at, event);
    } else if (ENDS_ALL.has(event.event_type)) {
      for (const at of open.splice(0)) end(at, event);
    }
  }
  return calls;
}
