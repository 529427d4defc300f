// Saved flows.

import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "./client";
import { keys } from "./keys";

/** All of them, newest first. */
export const savedFlows = () =>
  queryOptions({
    queryKey: keys.flows.list,
    queryFn: ({ signal }) => answer(api.GET("/api/flows", { signal })),
  });

/** One of them, by its local id. */
export const savedFlow = (localId: string) =>
  queryOptions({
    queryKey: keys.flows.one(localId),
    queryFn: ({ signal }) =>
      answer(api.GET("/api/flows/{local_id}", { params: { path: { local_id: localId } }, signal })),
  });
