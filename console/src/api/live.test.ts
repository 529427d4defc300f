import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createGatherer, staleKeys } from "./live";
import type { Change } from "./types";

const run = (run_id: string): Change => ({
  kind: "run",
  run_id,
  status: "running",
  waiting: false,
  ended: false,
  sequence: 3,
});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a changed Run makes its own parts and all lists of Runs stale, and nothing else", () => {
  expect(staleKeys([run("r-1"), run("r-1")])).toEqual([["runs", "list"], ["schedules"], ["runs", "one", "r-1"]]);
});

test("a changed task makes its own parts, the lists and the agents stale", () => {
  expect(staleKeys([{ kind: "task", task_id: "t-1", status: "running", sequence: 2 }])).toEqual([
    ["tasks", "list"],
    ["agents"],
    ["tasks", "one", "t-1"],
  ]);
});

test("where the stream begins changes nothing", () => {
  expect(staleKeys([{ kind: "position", position: 7 }])).toEqual([]);
});

test("changes that come together are told together", () => {
  const told: (readonly Change[])[] = [];
  const gatherer = createGatherer((changes) => told.push(changes));
  gatherer.add(run("r-1"));
  gatherer.add(run("r-2"));
  expect(told).toEqual([]);
  vi.runAllTimers();
  gatherer.add(run("r-3"));
  vi.runAllTimers();
  expect(told).toEqual([[run("r-1"), run("r-2")], [run("r-3")]]);
});
