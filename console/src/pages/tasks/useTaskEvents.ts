// The events of one task: those that are recorded, page by page, then those that happen, each once and in order.

import { useEffect, useState } from "react";
import { answer, api } from "~/api/client";
import type { TaskEvent } from "~/api/types";
import { useStream } from "~/api/useStream";

/** Events of one request; the API gives no more at once. */
const PAGE = 500;

export interface TaskEvents {
  events: readonly TaskEvent[];
  /** `loading` what is recorded, `live` behind it, `ended` when there will be no more. */
  phase: "loading" | "live" | "ended";
  error: unknown;
  retry: () => void;
}

interface Held {
  taskId: string;
  events: readonly TaskEvent[];
  /** Where the live stream goes on; null until what is recorded is here. */
  live: number | null;
  ended: boolean;
  error: unknown;
}

const nothing = (taskId: string): Held => ({ taskId, events: [], live: null, ended: false, error: null });

export function useTaskEvents(taskId: string): TaskEvents {
  const [held, setHeld] = useState(() => nothing(taskId));
  const [tries, setTries] = useState(0);
  const now = held.taskId === taskId ? held : nothing(taskId);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another try begins anew
  useEffect(() => {
    const stop = new AbortController();
    setHeld(nothing(taskId));
    load(taskId, stop.signal, (change) => setHeld((before) => ({ ...before, ...change(before) }))).catch((error) => {
      if (!stop.signal.aborted) setHeld((before) => ({ ...before, error }));
    });
    return () => stop.abort();
  }, [taskId, tries]);

  const path = `/api/v1/channel/tasks/${encodeURIComponent(taskId)}/events/stream?include_thoughts=true`;
  useStream<TaskEvent>(
    now.live === null || now.ended ? null : path,
    {
      onEvent: (event) => setHeld((before) => ({ ...before, events: added(before.events, [event]) })),
      onEnd: () => setHeld((before) => ({ ...before, ended: true })),
    },
    { after: now.live ?? 0 },
  );
  const phase = now.ended ? "ended" : now.live === null ? "loading" : "live";
  return { events: now.events, phase, error: now.error, retry: () => setTries(tries + 1) };
}

type Change = (before: Held) => Partial<Held>;

async function load(taskId: string, signal: AbortSignal, tell: (change: Change) => void): Promise<void> {
  let after = 0;
  for (;;) {
    const params = { path: { task_id: taskId }, query: { after, limit: PAGE, include_thoughts: true } };
    const page = await answer(api.GET("/api/v1/channel/tasks/{task_id}/events", { params, signal }));
    if (signal.aborted) return;
    after = page.cursor;
    const ended = !page.has_more && isOver(page.status);
    tell((before) => ({
      events: added(before.events, page.events),
      ...(page.has_more ? {} : { live: page.cursor, ended }),
    }));
    if (!page.has_more) return;
  }
}

const isOver = (status: string) => status === "succeeded" || status === "failed" || status === "cancelled";

/** Without those that are here already. */
function added(events: readonly TaskEvent[], more: readonly TaskEvent[]): readonly TaskEvent[] {
  const last = events.at(-1)?.sequence ?? 0;
  const fresh = more.filter((event) => event.sequence > last);
  return fresh.length === 0 ? events : [...events, ...fresh];
}
