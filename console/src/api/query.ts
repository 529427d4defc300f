// The cache of what the API said: how long it holds, and what is asked again.

import { QueryClient } from "@tanstack/react-query";
import { ApiError } from "./error";

/** Live events make an entry stale at once; this is for what no event tells. */
const STALE_MS = 30_000;
/** A request that found nobody is tried again this often; a refusal would only be repeated. */
const TRIES = 2;

export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: STALE_MS,
        // The browser's own idea of being online is about the internet; Segue is on this machine.
        networkMode: "always",
        retry: (failures, error) => error instanceof ApiError && error.code === "unreachable" && failures < TRIES,
      },
      mutations: { networkMode: "always", retry: false },
    },
  });
}
