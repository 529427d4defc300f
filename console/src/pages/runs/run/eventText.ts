// An event in words: its name, the tone of what it says, and the one thing of its payload that a reader looks for.

import type { RunEvent } from "~/api/types";
import { events as text } from "~/text/en/events";
import type { Tone } from "~/ui/tones";

export function labelOf(type: string): string {
  return text.labels[type] ?? type;
}

const TONES: Readonly<Record<string, Tone>> = {
  "run.effects_authorized": "accent",
  "executor.started": "run",
  "executor.session.bound": "run",
  "executor.session.reused": "run",
  "evaluation.passed": "ok",
  "result.accepted": "ok",
  "artifact.created": "accent",
  "node.succeeded": "ok",
  "node.reused": "ok",
  "item.accepted": "ok",
  "run.succeeded": "ok",
  "evaluation.rejected": "bad",
  "node.failed": "bad",
  "run.failed": "bad",
  "attempt.failed": "bad",
  "attempt.lost": "bad",
  "run.interrupted": "bad",
  "node.overdue": "bad",
  "person.asked": "wait",
  "node.uncertain": "wait",
  "node.repeated": "wait",
  "run.cancel_requested": "wait",
};

export function toneOfEvent(type: string): Tone {
  return TONES[type] ?? "idle";
}

type Say = (payload: Record<string, unknown>) => unknown;

/** What the payload of each type says in a few words. */
const DETAILS: Readonly<Record<string, Say>> = {
  "run.created": (p) => p.flow_id,
  "run.forked": (p) => p.from_node_id,
  "executor.started": (p) => (p.executor as { executor_id?: unknown } | undefined)?.executor_id,
  "executor.session.bound": (p) => p.session_group,
  "executor.session.reused": (p) => p.session_group,
  "evaluation.passed": (p) => p.summary,
  "evaluation.rejected": (p) => p.summary,
  "result.accepted": (p) => p.control_outcome ?? p.evidence_level,
  "artifact.created": (p) => p.name,
  "node.failed": (p) => p.message ?? p.reason,
  "node.skipped": (p) => p.reason,
  "node.repeated": (p) => p.round,
  "attempt.failed": (p) => p.message,
  "attempt.lost": (p) => p.reason,
  "person.answered": (p) => p.option,
  "node.decided": (p) => p.decision,
  "node.uncertain": (p) => p.reason,
  "run.failed": (p) => p.message,
};

export function detailOf(event: RunEvent): string {
  const said = DETAILS[event.event_type]?.(event.payload as Record<string, unknown>);
  return typeof said === "string" || typeof said === "number" ? String(said) : "";
}
