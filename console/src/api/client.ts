// Requests to Segue. Everything the console shows comes through here, from the public API and from nowhere else.
//
// A report on disk has no server: it brings recorded answers, and `answerFrom` puts them in the network's place.

import createClient from "openapi-fetch";
import { errors as text } from "~/text/en/errors";
import { ApiError, fromAnswer } from "./error";
import type { paths } from "./schema";

/** Answers a request as `fetch` does. */
export type Transport = (request: Request) => Promise<Response>;

let transport: Transport = (request) => fetch(request);
const listeners = new Set<(reached: boolean) => void>();

/** Answers every request with `replacement` from now on. */
export function answerFrom(replacement: Transport): void {
  transport = replacement;
}

/** Tells `listener` of each request whether the server was reached; returns how to stop that. */
export function onReached(listener: (reached: boolean) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** A page that was opened from disk has no origin, and requests need one. */
const baseUrl = location.protocol.startsWith("http") ? location.origin : "http://segue.invalid";

/** The typed client: `answer(api.GET("/api/v1/runs"))`. */
export const api = createClient<paths>({
  baseUrl,
  fetch: async (request: Request) => {
    try {
      const response = await transport(request);
      for (const listener of listeners) listener(true);
      return response;
    } catch (cause) {
      if (request.signal.aborted || cause instanceof ApiError) throw cause;
      for (const listener of listeners) listener(false);
      throw new ApiError(text.unreachable, "unreachable", 0, null, { cause });
    }
  },
});

interface Reply {
  data?: unknown;
  error?: unknown;
  response: Response;
}

/** The body of an answer, or its refusal as an `ApiError`. */
export async function answer<R extends Reply>(call: Promise<R>): Promise<Exclude<R["data"], undefined>> {
  const { data, error, response } = await call;
  if (!response.ok) throw fromAnswer(response.status, error);
  return data as Exclude<R["data"], undefined>;
}
