// What happens in Segue, told by its one stream, makes what the console shows stale. So no page asks again and again.

import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { connectionLost, connectionStands, watchRequests } from "./connection";
import { keys } from "./keys";
import type { Change } from "./types";
import { useStream } from "./useStream";

/** Many events come at once; what they make stale is asked for once. */
const GATHER_MS = 100;

/** Keeps the whole console up to date for as long as the shell is shown. */
export function useLiveUpdates(): void {
  const client = useQueryClient();
  const [gatherer] = useState(() => createGatherer((changes) => invalidate(client, changes)));
  useEffect(() => () => gatherer.stop(), [gatherer]);
  useEffect(watchRequests, []);
  useStream<Change>("/api/v1/events/stream", {
    onEvent: gatherer.add,
    onOpen: () => {
      // Whatever happened while nobody listened is asked for again.
      connectionStands();
      void client.invalidateQueries();
    },
    onLost: () => connectionLost(),
  });
}

interface Gatherer {
  add: (change: Change) => void;
  stop: () => void;
}

function invalidate(client: QueryClient, changes: readonly Change[]): void {
  for (const key of staleKeys(changes)) void client.invalidateQueries({ queryKey: key });
}

/** Passes on what was added, together, a little later. */
export function createGatherer(tell: (changes: readonly Change[]) => void): Gatherer {
  let waiting: Change[] = [];
  let timer: ReturnType<typeof setTimeout> | null = null;
  return {
    add: (change) => {
      waiting.push(change);
      timer ??= setTimeout(() => {
        const changes = waiting;
        waiting = [];
        timer = null;
        tell(changes);
      }, GATHER_MS);
    },
    stop: () => {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      waiting = [];
    },
  };
}

/** What `changes` make stale. Lists are stale with each of them; the rest only with its own. */
export function staleKeys(changes: readonly Change[]): (readonly unknown[])[] {
  const runs = new Set(changes.flatMap((change) => (change.kind === "run" ? [change.run_id] : [])));
  const tasks = new Set(changes.flatMap((change) => (change.kind === "task" ? [change.task_id] : [])));
  return [
    ...(runs.size > 0 ? [keys.runs.lists, keys.schedules.all] : []),
    ...[...runs].map((id) => keys.runs.one(id)),
    ...(tasks.size > 0 ? [keys.tasks.lists, keys.agents.all] : []),
    ...[...tasks].map((id) => keys.tasks.one(id)),
  ];
}
