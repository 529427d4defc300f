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

/** What one of them offers. Starts it for that, and ends it again. */
export const describedAgent = (agent: string) =>
  queryOptions({
    queryKey: keys.agents.one(agent),
    queryFn: ({ signal }) => answer(api.GET("/api/v1/channel/agents/{agent}", { params: { path: { agent } }, signal })),
    // It took a start to learn it.
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });

/** The sessions that one of them has of the workspace. Starts it for that, and ends it again. */
export const agentSessions = (agent: string) =>
  queryOptions({
    queryKey: [...keys.agents.one(agent), "sessions"],
    queryFn: ({ signal }) =>
      answer(api.GET("/api/v1/channel/agents/{agent}/sessions", { params: { path: { agent } }, signal })),
    retry: false,
  });
