// What several Runs say together.

import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "./client";
import { keys } from "./keys";

/** Two Runs of one flow on one task. */
export const runComparison = (left: string, right: string) =>
  queryOptions({
    queryKey: keys.comparison(left, right),
    queryFn: ({ signal }) => {
      const params = { path: { run_id: left }, query: { other_run_id: right } };
      return answer(api.GET("/api/v1/runs/{run_id}/comparison", { params, signal }));
    },
  });

/** All Runs of one flow on one task. */
export const runStability = (taskId: string, flowHash: string) =>
  queryOptions({
    queryKey: keys.stability(taskId, flowHash),
    queryFn: ({ signal }) => {
      const params = { path: { task_id: taskId }, query: { flow_hash: flowHash } };
      return answer(api.GET("/api/v1/tasks/{task_id}/stability", { params, signal }));
    },
    // Any Run may change it.
    staleTime: 0,
  });
