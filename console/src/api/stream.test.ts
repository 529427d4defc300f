import { expect, test } from "vitest";
import { listen } from "./stream";

/** A source that a test drives by hand. */
class Source extends EventTarget {
  onopen: (() => void) | null = null;
  onmessage: ((message: MessageEvent<string>) => void) | null = null;
  onerror: (() => void) | null = null;
  closed = false;

  constructor(readonly url: string) {
    super();
  }

  close() {
    this.closed = true;
  }

  say(id: number, data: unknown) {
    this.onmessage?.(new MessageEvent("message", { lastEventId: String(id), data: JSON.stringify(data) }));
  }
}

function scene(after?: number) {
  const sources: Source[] = [];
  const pauses: number[] = [];
  const told: unknown[] = [];
  let again: (() => void) | null = null;
  const stop = listen<string>(
    "/api/v1/runs/r/events/stream",
    {
      onEvent: (event, id) => told.push([event, id]),
      onOpen: () => told.push("open"),
      onLost: () => told.push("lost"),
      onEnd: () => told.push("end"),
    },
    {
      after,
      open: (url) => {
        const source = new Source(url);
        sources.push(source);
        return source as unknown as EventSource;
      },
      later: (callback, ms) => {
        pauses.push(ms);
        again = callback;
        return () => {
          again = null;
        };
      },
    },
  );
  const source = () => {
    const last = sources.at(-1);
    if (last === undefined) throw new Error("no source was opened");
    return last;
  };
  const wake = () => again?.();
  return { sources, pauses, told, stop, source, wake };
}

test("events are told with their numbers, and none from before", () => {
  const { source, told } = scene();
  source().onopen?.();
  source().say(1, "a");
  source().say(2, "b");
  source().say(1, "a");
  expect(told).toEqual(["open", ["a", 1], ["b", 2]]);
});

test("of changes that come together, which share the number before them, each is told", () => {
  const { source, sources, told, wake } = scene();
  source().say(4, "position");
  source().say(4, "a run");
  source().say(4, "another run");
  source().say(9, "a task");
  expect(told).toEqual([
    ["position", 4],
    ["a run", 4],
    ["another run", 4],
    ["a task", 9],
  ]);
  source().onerror?.();
  wake();
  expect(sources.at(-1)?.url).toMatch(/after=9$/);
});

test("a lost stream goes on behind the last event, after pauses that grow", () => {
  const { source, sources, pauses, told, wake } = scene();
  source().say(7, "a");
  source().onerror?.();
  wake();
  source().onerror?.();
  wake();
  source().onopen?.();
  source().onerror?.();
  expect(sources.map((each) => [each.url, each.closed])).toEqual([
    ["/api/v1/runs/r/events/stream", true],
    ["/api/v1/runs/r/events/stream?after=7", true],
    ["/api/v1/runs/r/events/stream?after=7", true],
  ]);
  expect(pauses).toEqual([500, 1_000, 500]);
  expect(told).toEqual([["a", 7], "lost", "lost", "open", "lost"]);
});

test("a stream that ended is not opened again", () => {
  const { source, sources, told, pauses } = scene(3);
  source().dispatchEvent(new Event("end"));
  source().onerror?.();
  expect(sources.map((each) => [each.url, each.closed])).toEqual([["/api/v1/runs/r/events/stream?after=3", true]]);
  expect([told, pauses]).toEqual([["end"], []]);
});

test("whoever stops listening during a pause hears nothing more", () => {
  const { source, sources, stop, wake } = scene();
  source().onerror?.();
  stop();
  wake();
  expect(sources).toHaveLength(1);
});
