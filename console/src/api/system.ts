// The server itself.

import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "./client";
import { keys } from "./keys";

export const systemStatus = () =>
  queryOptions({
    queryKey: keys.system.status,
    queryFn: ({ signal }) => answer(api.GET("/api/v1/system/status", { signal })),
  });
