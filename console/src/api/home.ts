// What waits for somebody, and which flow suits a description.

import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "./client";
import { keys } from "./keys";
import type { components } from "./schema";

export type WaitingItem = components["schemas"]["WaitingItem"];
export type Suggestion = components["schemas"]["FlowSuggestion"];

/** Over all Runs, the longest wait first. Each change of a Run may change it. */
export const waitingList = () =>
  queryOptions({
    queryKey: [...keys.runs.lists, "waiting"],
    queryFn: ({ signal }) => answer(api.GET("/api/v1/waiting", { signal })),
  });

/** A plain rule over the words. Nothing is stored or run. */
export const suggestFlow = (description: string) =>
  answer(api.POST("/api/v1/flow-suggestions", { body: { description } }));
