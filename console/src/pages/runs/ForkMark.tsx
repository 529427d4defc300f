// Says of a Run that it is a fork.

import { GitFork } from "lucide-react";
import type { RunSummary } from "~/api/types";
import { runs as text } from "~/text/en/runs";

export function ForkMark({ run }: { run: RunSummary }) {
  if (run.parent_run_id === undefined) return null;
  return (
    <span className="inline-flex shrink-0 items-center gap-1 text-ink-3 text-xs">
      <GitFork aria-hidden className="size-3" />
      {text.fork}
    </span>
  );
}
