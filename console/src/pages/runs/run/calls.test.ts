import { expect, test } from "vitest";
import type { RunEvent } from "~/api/types";
import { callsOf } from "./calls";

const events = (...types: readonly (string | [string, Record<string, unknown>])[]): RunEvent[] =>
  types.map((line, at) => {
    const [type, payload] = typeof line === "string" ? [line, {}] : line;
    return {
      run_id: "r",
      sequence: at + 1,
      node_id: "n",
      event_type: type,
      payload,
      payload_json: "",
      recorded_at: `2026-11-30T12:00:0${at}Z`,
    };
  });

const brief = (list: readonly RunEvent[]) =>
  callsOf(list).map((call) => [
    call.number,
    call.startedAt.slice(-2, -1),
    call.endedAt?.slice(-2, -1),
    call.outcome,
    call.message,
  ]);

test("a call that failed and the one that followed it", () => {
  expect(
    brief(
      events(
        "node.ready",
        "executor.started",
        ["attempt.failed", { message: "exit status 1" }],
        "executor.started",
        "result.accepted",
      ),
    ),
  ).toEqual([
    [1, "1", "2", "attempt.failed", "exit status 1"],
    [2, "3", "4", "result.accepted", ""],
  ]);
});

test("calls side by side, one of them under way", () => {
  expect(brief(events("executor.started", "executor.started", "item.accepted"))).toEqual([
    [1, "0", "2", "item.accepted", ""],
    [2, "1", undefined, null, ""],
  ]);
});

test("the end of a node ends what was under way", () => {
  expect(brief(events("executor.started", "executor.started", "node.cancelled"))).toEqual([
    [1, "0", "2", "node.cancelled", ""],
    [2, "1", "2", "node.cancelled", ""],
  ]);
});
