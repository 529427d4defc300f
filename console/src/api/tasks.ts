// Tasks of the channel.

import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { answer, api } from "./client";
import { keys } from "./keys";
import type { components } from "./schema";
import type { Task } from "./types";

/** Who did something here, as the record names it. */
const CONSOLE = "console";

export interface TaskFilter {
  status?: Task["status"] | undefined;
  agent?: string | undefined;
}

const PAGE = 50;

/** Newest first, page by page. */
export const taskList = (filter: TaskFilter) =>
  infiniteQueryOptions({
    queryKey: keys.tasks.list(filter),
    queryFn: ({ signal, pageParam }) => {
      const query = { ...given(filter), limit: PAGE, ...(pageParam === null ? {} : { after: pageParam }) };
      return answer(api.GET("/api/v1/channel/tasks", { params: { query }, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
  });

export const oneTask = (taskId: string) =>
  queryOptions({
    queryKey: keys.tasks.one(taskId),
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/channel/tasks/{task_id}", { params: { path: { task_id: taskId } }, signal })),
  });

function given(filter: TaskFilter) {
  return {
    ...(filter.status === undefined ? {} : { status: filter.status }),
    ...(filter.agent === undefined ? {} : { agent: filter.agent }),
  };
}

/** The prompt of one of them. It never changes. */
export const taskPrompt = (taskId: string) =>
  queryOptions({
    queryKey: keys.tasks.part(taskId, "prompt"),
    queryFn: async ({ signal }) => {
      const params = { path: { task_id: taskId }, query: { include_prompt: true } };
      return (await answer(api.GET("/api/v1/channel/tasks/{task_id}", { params, signal }))).prompt ?? "";
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Of the key under which a step of a flow has its task: `RUN/NODE/ROUND/ITEM/ATTEMPT`. */
const STEP_KEY = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/([^/]+)\/\d+\/\d*\/\d+(?:\/\d+)?$/;

/** The node of the Run that handed it out; null for any other task. Anybody may choose such a key: the Run is asked. */
export const taskRun = (taskId: string) =>
  queryOptions({
    queryKey: keys.tasks.part(taskId, "run"),
    queryFn: async ({ signal }) => {
      const first = { path: { task_id: taskId }, query: { after: 0, limit: 1 } };
      const { events } = await answer(api.GET("/api/v1/channel/tasks/{task_id}/events", { params: first, signal }));
      const [, runId, nodeId] = STEP_KEY.exec(keyOf(events[0]?.payload)) ?? [];
      if (runId === undefined || nodeId === undefined) return null;
      const params = { path: { run_id: runId } };
      const run = await answer(api.GET("/api/v1/runs/{run_id}", { params, signal })).catch(() => null);
      return run?.node_order.includes(nodeId) === true ? { run, nodeId } : null;
    },
    staleTime: Number.POSITIVE_INFINITY,
  });

function keyOf(payload: unknown): string {
  const key = typeof payload === "object" && payload !== null && "client_key" in payload ? payload.client_key : null;
  return typeof key === "string" ? key : "";
}

const of = (taskId: string) => ({ params: { path: { task_id: taskId } } });

export type Dispatch = components["schemas"]["TaskRequest"];

export const dispatchTask = (request: Dispatch) => answer(api.POST("/api/v1/channel/tasks", { body: request }));

/** Answers once it has ended. */
export const cancelTask = (taskId: string) =>
  answer(api.POST("/api/v1/channel/tasks/{task_id}/cancellations", { ...of(taskId), body: { actor: CONSOLE } }));

export const resolveTask = (taskId: string, resolution: string, note: string) =>
  answer(
    api.POST("/api/v1/channel/tasks/{task_id}/resolutions", {
      ...of(taskId),
      body: { resolution, note: note === "" ? null : note, actor: CONSOLE },
    }),
  );

export const forgetTask = (taskId: string) => answer(api.DELETE("/api/v1/channel/tasks/{task_id}", of(taskId)));

export type KeptAgent = components["schemas"]["KeptAgentList"]["items"][number];

/** Behind the moment at which an agent is ended, so that the next look finds it gone. */
const AFTER_END_MS = 1_000;

/** Over all servers of the state folder. No event tells the end of one that nobody asked for: it is looked for then. */
export const keptAgents = () =>
  queryOptions({
    queryKey: keys.tasks.kept,
    queryFn: ({ signal }) => answer(api.GET("/api/v1/channel/kept-agents", { signal })),
    refetchInterval: ({ state: { data } }) => {
      const ends = (data?.items ?? []).flatMap((one) => (one.expires_at === null ? [] : [Date.parse(one.expires_at)]));
      return ends.length === 0 ? false : Math.max(0, Math.min(...ends) - Date.now()) + AFTER_END_MS;
    },
  });

/** When its idle clock began: with the end of its turn, or when it was last extended. Null while it works. */
export function idleSince({ expires_at: end, keep_idle: seconds }: KeptAgent): string | null {
  return end === null ? null : new Date(Date.parse(end) - seconds * 1_000).toISOString();
}

const byHandle = (handle: string) => ({ params: { path: { handle } } });

export const extendAgent = (handle: string, idle: number | null, turns: number | null) =>
  answer(
    api.POST("/api/v1/channel/kept-agents/{handle}/extensions", {
      ...byHandle(handle),
      body: { keep_idle: idle, keep_turns: turns },
    }),
  );

/** Answers once its end is known. */
export const releaseAgent = (handle: string) =>
  answer(api.DELETE("/api/v1/channel/kept-agents/{handle}", byHandle(handle)));
