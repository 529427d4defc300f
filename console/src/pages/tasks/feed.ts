// What an agent did, told from a task's events: what it said, one line for each tool call with what became of it, its
// last plan, and the steps of its life. Pure.

import type { TaskEvent } from "~/api/types";

export type Entry =
  | { kind: "text"; at: number; voice: "says" | "thinks" | "stderr" | "late"; text: string }
  | { kind: "call"; at: number; call: Call }
  | { kind: "plan"; at: number; steps: readonly PlanStep[] }
  | { kind: "state"; at: number; to: string }
  | { kind: "life"; at: number; type: string; detail: string | null }
  | { kind: "request"; at: number; method: string }
  | { kind: "error"; at: number; message: string };

export interface Call {
  id: string;
  tool: string;
  title: string;
  status: string;
  /** How the question for it was answered; null when nobody was asked. */
  decision: string | null;
}

export interface PlanStep {
  content: string;
  status: string;
}

export interface Told extends Readonly<Record<string, unknown>> {}

/** Entries in the order in which they began; a call stands where it was announced. */
export function feed(events: readonly TaskEvent[]): readonly Entry[] {
  const entries: Entry[] = [];
  const calls = new Map<string, Call>();
  let plan: Extract<Entry, { kind: "plan" }> | null = null;
  for (const event of events) {
    const payload = told(event.payload);
    const at = event.sequence;
    switch (event.event_type) {
      case "agent_message":
        speak(entries, "says", text(payload.text), at);
        break;
      case "agent_thought":
        speak(entries, "thinks", text(payload.text), at);
        break;
      case "late_update":
        entries.push({ kind: "text", at, voice: "late", text: lateText(payload) });
        break;
      case "stderr":
        entries.push({ kind: "text", at, voice: "stderr", text: text(payload.text ?? payload.line) });
        break;
      case "tool_call":
      case "tool_call_update":
      case "permission":
        follow(entries, calls, event.event_type, payload, at);
        break;
      case "plan": {
        const steps = planSteps(payload.entries);
        if (plan === null) {
          plan = { kind: "plan", at, steps };
          entries.push(plan);
        } else plan.steps = steps;
        break;
      }
      case "status_changed":
        entries.push({ kind: "state", at, to: text(payload.to) });
        break;
      case "agent_request":
        entries.push({ kind: "request", at, method: text(payload.method) });
        break;
      case "error":
        entries.push({ kind: "error", at, message: text(payload.message ?? payload.error) });
        break;
      case "agent_update":
        // Usage and the like; the page shows their last value elsewhere.
        break;
      default:
        entries.push({ kind: "life", at, type: event.event_type, detail: detail(event.event_type, payload) });
    }
  }
  return entries;
}

/** What is said at length is recorded in pieces, cut wherever the time had come; here it is one again. */
function speak(entries: Entry[], voice: "says" | "thinks", said: string, at: number): void {
  const before = entries.at(-1);
  if (before?.kind === "text" && before.voice === voice) before.text += said;
  else entries.push({ kind: "text", at, voice, text: said });
}

function follow(entries: Entry[], calls: Map<string, Call>, type: string, payload: Told, at: number): void {
  const id = text(payload.toolCallId ?? payload.tool_call_id);
  let call = calls.get(id);
  if (call === undefined) {
    call = { id, tool: "other", title: "", status: "pending", decision: null };
    calls.set(id, call);
    entries.push({ kind: "call", at, call });
  }
  if (typeof payload.title === "string") call.title = payload.title;
  if (typeof payload.kind === "string") call.tool = payload.kind;
  if (type === "permission") call.decision = text(payload.decision);
  else if (typeof payload.status === "string") call.status = payload.status;
}

function planSteps(entries: unknown): readonly PlanStep[] {
  if (!Array.isArray(entries)) return [];
  return entries.map((entry) => ({ content: text(told(entry).content), status: text(told(entry).status) }));
}

function lateText(payload: Told): string {
  const content = told(payload.content);
  return typeof payload.text === "string" ? payload.text : text(content.text ?? payload.sessionUpdate);
}

function detail(type: string, payload: Told): string | null {
  switch (type) {
    case "process_started":
      return `pid ${text(payload.pid)}`;
    case "session_started":
      return text(payload.session_id);
    case "process_exited":
      return payload.exit_code === null || payload.exit_code === undefined ? null : `exit ${text(payload.exit_code)}`;
    case "agent_kept":
      return text(payload.handle);
    case "task_resolved":
      return text(payload.resolution);
    case "task_cancelled":
      return payload.actor === null || payload.actor === undefined ? null : text(payload.actor);
    default:
      return null;
  }
}

function told(value: unknown): Told {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Told) : {};
}

function text(value: unknown): string {
  if (typeof value === "string") return value;
  return value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
}
