// Where the content of an artifact is.

import { isRecorded, recordedLink } from "./recorded";

/** An address of the server, or the content itself in a report; null when the report does not have it. */
export function artifactLink(artifactId: string): string | null {
  const path = `/api/v1/artifacts/${encodeURIComponent(artifactId)}/content`;
  return isRecorded() ? recordedLink(path) : path;
}
