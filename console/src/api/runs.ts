// Runs: their list, one of them, its events.

import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { answer, api } from "./client";
import { keys } from "./keys";

export interface RunFilter {
  status?: readonly string[] | undefined;
  flow?: string | undefined;
  text?: string | undefined;
}

const PAGE = 50;

/** Newest first, page by page. */
export const runList = (filter: RunFilter) =>
  infiniteQueryOptions({
    queryKey: keys.runs.list(filter),
    queryFn: ({ signal, pageParam }) => {
      const query = {
        limit: PAGE,
        ...(filter.status === undefined || filter.status.length === 0 ? {} : { status: [...filter.status] }),
        ...(filter.flow === undefined ? {} : { flow_id: [filter.flow] }),
        ...(filter.text === undefined || filter.text === "" ? {} : { text: filter.text }),
        ...(pageParam === null ? {} : { before: pageParam }),
      };
      return answer(api.GET("/api/v1/runs", { params: { query }, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next,
  });

export const oneRun = (runId: string) =>
  queryOptions({
    queryKey: keys.runs.one(runId),
    queryFn: ({ signal }) => answer(api.GET("/api/v1/runs/{run_id}", { params: { path: { run_id: runId } }, signal })),
  });
