import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Change, createGatherer, staleKeys } from "./live";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a changed Run makes its own parts and all lists of Runs stale, and nothing else", () => {
  expect(staleKeys([{ run_id: "r-1" }, { run_id: "r-1" }])).toEqual([
    ["runs", "list"],
    ["runs", "one", "r-1"],
  ]);
});

test("a changed task makes its own parts, the lists and the agents stale", () => {
  expect(staleKeys([{ task_id: "t-1" }])).toEqual([["tasks", "list"], ["agents"], ["tasks", "one", "t-1"]]);
});

test("changes that come together are told together", () => {
  const told: (readonly Change[])[] = [];
  const gatherer = createGatherer((changes) => told.push(changes));
  gatherer.add({ run_id: "r-1" });
  gatherer.add({ run_id: "r-2" });
  expect(told).toEqual([]);
  vi.runAllTimers();
  gatherer.add({ run_id: "r-3" });
  vi.runAllTimers();
  expect(told).toEqual([[{ run_id: "r-1" }, { run_id: "r-2" }], [{ run_id: "r-3" }]]);
});
