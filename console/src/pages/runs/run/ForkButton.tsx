// Opens the dialog in which a Run is forked.

import { GitFork } from "lucide-react";
import { useState } from "react";
import { isRecorded } from "~/api/recorded";
import type { RunSummary } from "~/api/types";
import { run as text } from "~/text/en/run";
import { Button, type ButtonVariant } from "~/ui/Button";
import { ForkDialog } from "./ForkDialog";
import type { RunGraph } from "./graph";

interface ForkButtonProps {
  run: RunSummary;
  graph: RunGraph;
  nodeId: string;
  label?: string;
  variant?: ButtonVariant;
}

export function ForkButton({ run, graph, nodeId, label = text.actions.fork, variant = "secondary" }: ForkButtonProps) {
  const [open, setOpen] = useState(false);
  if (isRecorded()) return null;
  return (
    <>
      <div>
        <Button icon={GitFork} variant={variant} onClick={() => setOpen(true)}>
          {label}
        </Button>
      </div>
      {open ? <ForkDialog run={run} graph={graph} nodeId={nodeId} onClose={() => setOpen(false)} /> : null}
    </>
  );
}
