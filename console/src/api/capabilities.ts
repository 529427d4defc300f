// What nodes can be bound to, and the agents of the channel.

import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "./client";
import { keys } from "./keys";

export const capabilities = () =>
  queryOptions({
    queryKey: keys.capabilities.all,
    queryFn: ({ signal }) => answer(api.GET("/api/v1/capabilities", { signal })),
  });

export const agents = () =>
  queryOptions({
    queryKey: keys.agents.all,
    queryFn: ({ signal }) => answer(api.GET("/api/v1/channel/agents", { signal })),
  });
