// Answers that were recorded. The evidence report is one file without a server: it holds what the API answered, and its
// pages ask the same requests as the console's.

import { answerFrom } from "./client";

/** What was answered to `GET` of a path with its query, whose parameters are in alphabetical order. */
export type Recording = Readonly<Record<string, Recorded>>;

export interface Recorded {
  /** The media type of the body. */
  readonly type: string;
  /** The text of the body. */
  readonly body: string;
}

let recording: Recording | null = null;

/** Everything shown is from a recording: nothing changes, and nothing can be changed. */
export function isRecorded(): boolean {
  return recording !== null;
}

/** Answers every request from `held`. */
export function answerFromRecording(held: Recording): void {
  recording = held;
  answerFrom(async (request) => {
    const url = new URL(request.url);
    url.searchParams.sort();
    const found = request.method === "GET" ? held[url.pathname + url.search] : undefined;
    if (found === undefined) {
      return Response.json({ error: "the report does not hold this", code: "not_recorded" }, { status: 404 });
    }
    return new Response(found.body, { headers: { "content-type": found.type } });
  });
}

/** A link that holds a recorded body; null when it is not recorded. A page on disk may not open addresses of objects. */
export function recordedLink(path: string): string | null {
  const found = recording?.[path];
  if (found === undefined) return null;
  const bytes = Array.from(new TextEncoder().encode(found.body), (byte) => String.fromCharCode(byte));
  return `data:${found.type};base64,${btoa(bytes.join(""))}`;
}
