import { expect, test } from "vitest";
import type { TaskEvent } from "~/api/types";
import { feed } from "./feed";

let sequence = 0;
const event = (event_type: string, payload: unknown): TaskEvent => {
  sequence += 1;
  return { task_id: "t", sequence, event_type, payload, recorded_at: "2026-11-30T12:00:00+00:00" };
};
const told = (...events: [string, unknown][]) => {
  sequence = 0;
  return feed(events.map(([type, payload]) => event(type, payload)));
};

test("a tool call is one entry, with the last word on it and how its question was answered", () => {
  const entries = told(
    ["tool_call", { toolCallId: "a", title: "Read a.txt", kind: "read", status: "pending" }],
    ["agent_message", { text: "Meanwhile" }],
    ["permission", { tool_call_id: "a", title: "Read a.txt", kind: "read", decision: "allowed" }],
    ["tool_call_update", { toolCallId: "a", status: "in_progress" }],
    ["tool_call_update", { toolCallId: "a", status: "completed" }],
  );
  expect(entries).toEqual([
    {
      kind: "call",
      at: 1,
      call: { id: "a", tool: "read", title: "Read a.txt", status: "completed", decision: "allowed" },
    },
    { kind: "text", at: 2, voice: "says", text: "Meanwhile" },
  ]);
});

test("only the last plan is told, where the first one stood", () => {
  const entries = told(
    ["plan", { entries: [{ content: "Read", status: "pending" }] }],
    ["status_changed", { from: "starting", to: "running" }],
    ["plan", { entries: [{ content: "Read", status: "completed" }] }],
  );
  expect(entries).toEqual([
    { kind: "plan", at: 1, steps: [{ content: "Read", status: "completed" }] },
    { kind: "state", at: 2, to: "running" },
  ]);
});

test("what the agent sends in an odd shape is told as far as it can be", () => {
  const entries = told(
    ["tool_call_update", { toolCallId: 7, status: "failed" }],
    ["plan", { entries: "none" }],
    ["agent_message", null],
    ["late_update", { content: { text: "too late" } }],
    ["something_new", { a: 1 }],
    ["agent_update", { sessionUpdate: "usage_update" }],
    ["process_exited", { exit_code: null }],
    ["process_exited", { exit_code: 3 }],
  );
  expect(entries).toEqual([
    { kind: "call", at: 1, call: { id: "7", tool: "other", title: "", status: "failed", decision: null } },
    { kind: "plan", at: 2, steps: [] },
    { kind: "text", at: 3, voice: "says", text: "" },
    { kind: "text", at: 4, voice: "late", text: "too late" },
    { kind: "life", at: 5, type: "something_new", detail: null },
    { kind: "life", at: 7, type: "process_exited", detail: null },
    { kind: "life", at: 8, type: "process_exited", detail: "exit 3" },
  ]);
});

test("a message that was recorded in pieces is one, until something else comes between", () => {
  const entries = told(
    ["agent_message", { text: "It wor" }],
    ["agent_update", { sessionUpdate: "usage_update" }],
    ["agent_message", { text: "ks." }],
    ["agent_thought", { text: "Does " }],
    ["agent_thought", { text: "it?" }],
    ["agent_message", { text: "Yes." }],
  );
  expect(entries).toEqual([
    { kind: "text", at: 1, voice: "says", text: "It works." },
    { kind: "text", at: 4, voice: "thinks", text: "Does it?" },
    { kind: "text", at: 6, voice: "says", text: "Yes." },
  ]);
});
