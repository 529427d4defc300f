// Tasks of the channel.

import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { answer, api } from "./client";
import { keys } from "./keys";
import type { Task } from "./types";

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
