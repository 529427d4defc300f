// Where the content of an artifact is.

import { recordedUrl } from "./recorded";

/** For a link: of the server, or of the copy that a report brings. */
export function artifactUrl(artifactId: string): string {
  const path = `/api/v1/artifacts/${encodeURIComponent(artifactId)}/content`;
  return recordedUrl(path) ?? path;
}
