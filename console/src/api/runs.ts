// Runs: their list, one of them, its events.

import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { answer, api } from "./client";
import { keys } from "./keys";
import type { EffectAuthorization, RunSummary } from "./types";

export interface RunFilter {
  status?: readonly RunSummary["status"][] | undefined;
  /** Only those that wait for a person. */
  waiting?: true | undefined;
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
        ...(filter.waiting === undefined ? {} : { waiting: true }),
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

const of = (runId: string) => ({ params: { path: { run_id: runId } } });

/** How far it is, what it made, why it failed. */
export const runOutcome = (runId: string) =>
  queryOptions({
    queryKey: keys.runs.part(runId, "outcome"),
    queryFn: ({ signal }) => answer(api.GET("/api/v1/runs/{run_id}/outcome", { ...of(runId), signal })),
  });

/** What blocks it, or why it ended as it did. */
export const runWhy = (runId: string) =>
  queryOptions({
    queryKey: keys.runs.part(runId, "why"),
    queryFn: ({ signal }) => answer(api.GET("/api/v1/runs/{run_id}/why", { ...of(runId), signal })),
  });

/** One node with all of its evidence, also when it was not reached. */
export const runNode = (runId: string, nodeId: string) =>
  queryOptions({
    queryKey: keys.runs.part(runId, "node", nodeId),
    queryFn: ({ signal }) => {
      const params = { path: { run_id: runId, node_id: nodeId } };
      return answer(api.GET("/api/v1/runs/{run_id}/nodes/{node_id}/detail", { params, signal }));
    },
  });

/** Where it comes from, what it was allowed to do, how it was stopped. */
export const runDetail = (runId: string) =>
  queryOptions({
    queryKey: keys.runs.part(runId, "detail"),
    queryFn: ({ signal }) => answer(api.GET("/api/v1/runs/{run_id}/detail", { ...of(runId), signal })),
  });

/** What it was run with, as its first node received it; null where that cannot be read. */
export const runInput = (runId: string) =>
  queryOptions({
    queryKey: [...keys.runs.frozen, runId, "input"],
    queryFn: async ({ signal }) => {
      const detail = await answer(api.GET("/api/v1/runs/{run_id}/detail", { ...of(runId), signal }));
      return detail.flow_input;
    },
    // It never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });

/** The flow that it was admitted with: what runs, whatever became of the saved one. */
export const runFlow = (runId: string) =>
  queryOptions({
    queryKey: [...keys.runs.frozen, runId],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/runs/{run_id}/flow", { ...of(runId), signal })),
    // It never changes.
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Runs a node and what depends on it again. `inputs`: those that are to be others than they were. */
export function forkRun(
  runId: string,
  nodeId: string,
  inputs: Record<string, unknown> | null,
  authorization: EffectAuthorization | null,
) {
  const from = { from_node_id: nodeId };
  const body =
    inputs !== null
      ? {
          contract_version: "segue.changed-run-fork-request.v1" as const,
          ...from,
          inputs,
          effect_authorization: authorization,
        }
      : authorization !== null
        ? {
            contract_version: "symphlo.authorized-run-fork-request.v1" as const,
            ...from,
            effect_authorization: authorization,
          }
        : { contract_version: "symphlo.run-fork-request.v1" as const, ...from };
  return answer(api.POST("/api/v1/runs/{run_id}/forks", { ...of(runId), body }));
}
