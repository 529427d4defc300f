// The server itself.

import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "./client";
import { keys } from "./keys";

export const systemStatus = () =>
  queryOptions({
    queryKey: keys.system.status,
    queryFn: ({ signal }) => answer(api.GET("/api/v1/system/status", { signal })),
  });

/** Where it keeps things, and how other programs reach it. */
export const systemSettings = () =>
  queryOptions({
    queryKey: keys.system.settings,
    queryFn: ({ signal }) => answer(api.GET("/api/v1/system/settings", { signal })),
  });
