import { expect, test } from "vitest";
import { ApiError } from "./error";
import { EventLog, type LoadPage, PAGE } from "./eventLog";
import type { RunEvent } from "./types";

const event = (sequence: number): RunEvent => ({
  run_id: "r",
  sequence,
  node_id: null,
  event_type: "run.created",
  payload: {},
  payload_json: "{}",
  recorded_at: "2026-11-30T12:00:00Z",
});

/** A Run with `count` events, and where each request began. */
function scene(count: number, broken: readonly number[] = []) {
  const asked: number[] = [];
  const left = [...broken];
  const load: LoadPage = async (after, limit) => {
    asked.push(after);
    if (left.includes(after)) {
      left.splice(left.indexOf(after), 1);
      throw new ApiError("gone", "unreachable", 0);
    }
    const last = Math.min(count, after + limit);
    return Array.from({ length: last - after }, (_, at) => event(after + at + 1));
  };
  return { log: new EventLog(count, load), asked };
}

test("only the pages that are looked at are asked for, each once", async () => {
  const { log, asked } = scene(10 * PAGE);
  await Promise.all([log.need(PAGE + 1, PAGE + 10), log.need(PAGE + 5, 2 * PAGE + 1)]);
  await log.need(PAGE + 1, 2 * PAGE);
  expect(asked).toEqual([PAGE, 2 * PAGE]);
  expect(log.between(2 * PAGE - 1, 2 * PAGE + 1).map((one) => one.sequence)).toEqual([
    2 * PAGE - 1,
    2 * PAGE,
    2 * PAGE + 1,
  ]);
  expect(log.state()).toEqual({ count: 10 * PAGE, prefix: 0, error: null });
});

test("all of them come in order, and the last page may be short", async () => {
  const { log, asked } = scene(2 * PAGE + 3);
  await log.needAll();
  expect(asked).toEqual([0, PAGE, 2 * PAGE]);
  expect(log.state()).toEqual({ count: 2 * PAGE + 3, prefix: 2 * PAGE + 3, error: null });
});

test("live events make the log longer, and a gap before them is asked for", async () => {
  const { log, asked } = scene(4);
  log.append([event(4)]);
  expect(log.state()).toEqual({ count: 4, prefix: 0, error: null });
  await log.needAll();
  expect(asked).toEqual([0]);
  expect(log.state().prefix).toBe(4);
});

test("an error stops the loading until it is tried again", async () => {
  const { log, asked } = scene(2 * PAGE, [PAGE]);
  await log.needAll();
  expect([log.state().prefix, log.state().error?.message]).toEqual([PAGE, "gone"]);
  log.retry();
  await log.needAll();
  expect([asked, log.state().prefix]).toEqual([[0, PAGE, PAGE], 2 * PAGE]);
});

test("whoever listens is told", async () => {
  const { log } = scene(1);
  let told = 0;
  const stop = log.subscribe(() => {
    told += 1;
  });
  await log.needAll();
  stop();
  log.grow(9);
  expect([told, log.state().count]).toEqual([1, 9]);
});
