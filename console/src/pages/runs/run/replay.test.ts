import { expect, test } from "vitest";
import type { RunEvent } from "~/api/types";
import { Replay } from "./replay";

const TIME = Date.parse("2026-11-30T12:00:00Z");

/** `plan node.ready`, or `run.succeeded`; the number is the place in the list. */
function events(...lines: readonly (string | [string, Record<string, unknown>])[]): RunEvent[] {
  return lines.map((line, at) => {
    const [text, payload] = typeof line === "string" ? [line, {}] : line;
    const words = text.split(" ");
    return {
      run_id: "r",
      sequence: at + 1,
      node_id: words.length === 2 ? (words[0] ?? null) : null,
      event_type: words.at(-1) as RunEvent["event_type"],
      payload,
      payload_json: JSON.stringify(payload),
      recorded_at: new Date(TIME + at * 1_000).toISOString(),
    };
  });
}

function replay(nodes: readonly string[], list: readonly RunEvent[]): Replay {
  const made = new Replay(nodes);
  made.append(list);
  return made;
}

const states = (made: Replay, sequence: number) => {
  const moment = made.at(sequence);
  return [moment.runState, ...[...moment.nodes].map(([id, node]) => `${id} ${node.state}`)];
};

test("a Run can be looked at after each of its events", () => {
  const made = replay(
    ["plan", "gate"],
    events(
      "run.created",
      "plan node.ready",
      "plan executor.started",
      "plan result.accepted",
      "plan node.succeeded",
      "gate node.ready",
      "gate executor.started",
      "gate result.accepted",
      "gate evaluation.rejected",
      "gate node.failed",
      "run.failed",
    ),
  );
  const seen = Array.from({ length: made.length + 1 }, (_, at) => states(made, at).join(", "));
  expect(seen).toEqual([
    "running, plan pending, gate pending",
    "running, plan pending, gate pending",
    "running, plan ready, gate pending",
    "running, plan running, gate pending",
    "running, plan accepted, gate pending",
    "running, plan succeeded, gate pending",
    "running, plan succeeded, gate ready",
    "running, plan succeeded, gate running",
    "running, plan succeeded, gate accepted",
    "running, plan succeeded, gate rejected",
    "running, plan succeeded, gate rejected",
    "failed, plan succeeded, gate rejected",
  ]);
});

test("a round of repair begins its nodes anew", () => {
  const made = replay(
    ["draft", "gate"],
    events("draft node.ready", "draft executor.started", "draft node.succeeded", "gate node.ready", [
      "gate node.repeated",
      { round: 2, node_ids: ["draft", "gate"] },
    ]),
  );
  expect([...made.at(5).nodes]).toEqual([
    ["draft", { state: "pending", started: 0, round: 2, items: 0, readyAt: null, settledAt: null }],
    ["gate", { state: "pending", started: 0, round: 2, items: 0, readyAt: null, settledAt: null }],
  ]);
});

test("a question waits until it is answered, and a node of unknown outcome until it is decided", () => {
  const made = replay(
    ["ask", "send"],
    events("ask person.asked", "send node.uncertain", "ask person.answered", "send node.decided"),
  );
  expect([states(made, 2), states(made, 4)]).toEqual([
    ["running", "ask waiting", "send uncertain"],
    ["running", "ask running", "send running"],
  ]);
});

test("times and counts are those of the events", () => {
  const made = replay(
    ["each"],
    events(
      "each node.ready",
      "each executor.started",
      "each item.accepted",
      "each executor.started",
      "each node.succeeded",
    ),
  );
  expect(made.at(5).nodes.get("each")).toEqual({
    state: "succeeded",
    started: 2,
    round: 1,
    items: 1,
    readyAt: "2026-11-30T12:00:00.000Z",
    settledAt: "2026-11-30T12:00:04.000Z",
  });
});

test("events that do not follow are left out, and a moment behind the end is the end", () => {
  const made = new Replay(["a"]);
  const [first, second, third] = events("a node.ready", "a executor.started", "a node.succeeded");
  if (first === undefined || second === undefined || third === undefined) throw new Error("three events");
  made.append([first, third]);
  made.append([second, second]);
  expect([made.length, states(made, 99)]).toEqual([2, ["running", "a running"]]);
});

test("a long Run is the same from its checkpoints as from its beginning", () => {
  const line = (at: number) => (at % 2 === 0 ? "a executor.started" : "a item.accepted");
  const made = replay(["a"], events(...Array.from({ length: 2_000 }, (_, at) => line(at))));
  const seen = [1, 511, 512, 513, 1_024, 1_999, 2_000].map((at) => {
    const node = made.at(at).nodes.get("a");
    return [node?.started, node?.items];
  });
  expect(seen).toEqual([
    [1, 0],
    [256, 255],
    [256, 256],
    [257, 256],
    [512, 512],
    [1_000, 999],
    [1_000, 1_000],
  ]);
});

test("what a Run never came to is pending until it ends, and then was not reached", () => {
  const made = replay(["plan", "gate"], events("run.created", "plan node.ready", "plan node.failed", "run.failed"));
  expect([states(made, 3), states(made, 4)]).toEqual([
    ["running", "plan failed", "gate pending"],
    ["failed", "plan failed", "gate unreached"],
  ]);
  expect(made.at(4).nodes.get("gate")).toBe(made.at(4).nodes.get("gate"));
});
