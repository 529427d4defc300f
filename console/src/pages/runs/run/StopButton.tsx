// Stops a Run, after asking.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Square } from "lucide-react";
import { useState } from "react";
import { answer, api } from "~/api/client";
import { keys } from "~/api/keys";
import type { RunSummary } from "~/api/types";
import { common } from "~/text/en/common";
import { run as text } from "~/text/en/run";
import { stateLabel } from "~/ui/Badge";
import { Button } from "~/ui/Button";
import { Confirm } from "~/ui/Dialog";
import { toast } from "~/ui/Toast";

export function StopButton({ run }: { run: RunSummary }) {
  const client = useQueryClient();
  const [open, setOpen] = useState(false);
  const stop = useMutation({
    mutationFn: () => {
      const body = { contract_version: "symphlo.run-cancellation-request.v1" as const, flow_id: run.flow_id };
      return answer(
        api.POST("/api/v1/runs/{run_id}/cancellations", { params: { path: { run_id: run.run_id } }, body }),
      );
    },
    onSuccess: (receipt) => {
      if (receipt.accepted) toast.done(text.actions.stopped);
      else toast.note(text.actions.notStopped, text.actions.notStoppedBody(stateLabel(receipt.status)));
    },
    onError: (error) => toast.failed(text.actions.failed, error),
    onSettled: () => {
      setOpen(false);
      void client.invalidateQueries({ queryKey: keys.runs.all });
    },
  });
  return (
    <>
      <Button variant="danger" icon={Square} disabled={run.status === "cancel_requested"} onClick={() => setOpen(true)}>
        {text.actions.stop}
      </Button>
      <Confirm
        open={open}
        onOpenChange={setOpen}
        title={text.actions.stopTitle}
        action={text.actions.stopGo}
        keep={common.actions.keepRunning}
        danger
        busy={stop.isPending}
        onConfirm={() => stop.mutate()}
      >
        {text.actions.stopLead}
      </Confirm>
    </>
  );
}
