// What nodes can be bound to, and the agents of the channel.

import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "./client";
import { ApiError, asApiError } from "./error";
import { keys } from "./keys";
import type { components } from "./schema";

export const capabilities = () =>
  queryOptions({
    queryKey: keys.capabilities.all,
    queryFn: ({ signal }) => answer(api.GET("/api/v1/capabilities", { signal })),
  });

/** One that tasks can be given to; without a `path` it cannot be started here, and `problem` says why. */
export type Agent = components["schemas"]["AgentList"]["items"][number];

/** No event tells that one was installed. */
export const agents = () =>
  queryOptions({
    queryKey: keys.agents.all,
    queryFn: ({ signal }) => answer(api.GET("/api/v1/channel/agents", { signal })),
    refetchOnMount: "always",
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

/** What is installed on this machine. Nothing is stored; it takes a look at each program, so it is asked for anew. */
export const discoveredCapabilities = () =>
  queryOptions({
    queryKey: ["discovered capabilities"],
    queryFn: ({ signal }) => answer(api.POST("/api/v1/capabilities/discover", { body: {}, signal })),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });

type Definition = components["schemas"]["CapabilityDefinition"];

/** Checks a definition and, with `probe`, tries it. Nothing is stored. */
export const checkCapability = (definition: object, probe: boolean) =>
  answer(api.POST("/api/v1/capabilities/validate", { body: { capability: definition as Definition, probe } }));

export const saveCapability = (definition: object) =>
  answer(api.POST("/api/v1/capabilities", { body: { capability: definition as Definition } }));

/** Tries a saved one, and keeps what was seen. */
export const testCapability = (id: string) =>
  answer(api.POST("/api/v1/capabilities/{capability_id}/probe", { params: { path: { capability_id: id } }, body: {} }));

/** The one conflict of a deletion is that steps are bound to it; no reload helps against that. */
export const deleteCapability = (id: string) =>
  answer(api.DELETE("/api/v1/capabilities/{capability_id}", { params: { path: { capability_id: id } } })).catch(
    (thrown: unknown) => {
      const error = asApiError(thrown);
      throw error.code === "conflict" ? new ApiError(error.message, "in_use", error.status) : error;
    },
  );
