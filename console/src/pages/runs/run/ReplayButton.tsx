// Runs the flow as it is saved now, with every result of this Run that the changes leave valid. Shows first which those
// are, and why the others are not.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { RefreshCw } from "lucide-react";
import { useState } from "react";
import { answer, api } from "~/api/client";
import { keys } from "~/api/keys";
import type { RunSummary } from "~/api/types";
import { useAuthorized } from "~/components/Authorization";
import { common } from "~/text/en/common";
import { run as text } from "~/text/en/run";
import { StateBadge } from "~/ui/Badge";
import { Button } from "~/ui/Button";
import { Dialog } from "~/ui/Dialog";
import { ErrorNotice } from "~/ui/ErrorNotice";
import { SkeletonLines } from "~/ui/Skeleton";
import { toast } from "~/ui/Toast";
import { type RunGraph, titleIn } from "./graph";

interface ReplayButtonProps {
  run: RunSummary;
  /** Of the Run; what was added to the flow since goes by its id. */
  graph: RunGraph | undefined;
}

export function ReplayButton({ run, graph }: ReplayButtonProps) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const [open, setOpen] = useState(false);
  const params = { path: { run_id: run.run_id } };
  const plan = useQuery({
    queryKey: keys.runs.part(run.run_id, "replay-plan"),
    queryFn: ({ signal }) => answer(api.POST("/api/v1/runs/{run_id}/replay-plan", { params, body: {}, signal })),
    enabled: open,
    // The saved flow may have changed since it was last looked at.
    staleTime: 0,
  });
  const titleOf = titleIn(graph);
  /** The server refuses a replay that would run nothing. */
  const isSame = plan.data?.nodes.every((node) => node.reused) === true;
  const replay = useAuthorized<null, { run_id: string }>({
    titleOf,
    send: (_, authorization) => {
      const body = authorization === null ? {} : { effect_authorization: authorization };
      return answer(api.POST("/api/v1/runs/{run_id}/replays", { params, body }));
    },
    onDone: ({ run_id }) => {
      setOpen(false);
      toast.done(text.actions.forked);
      void client.invalidateQueries({ queryKey: keys.runs.lists });
      void navigate({ to: "/runs/$runId", params: { runId: run_id } });
    },
  });
  return (
    <>
      <Button icon={RefreshCw} onClick={() => setOpen(true)}>
        {text.actions.replay}
      </Button>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title={text.actions.replayTitle}
        description={text.actions.replayLead}
        footer={
          <>
            <Button onClick={() => setOpen(false)}>{common.actions.cancel}</Button>
            <Button
              variant="primary"
              disabled={plan.data === undefined || isSame}
              busy={replay.busy}
              onClick={() => replay.start(null)}
            >
              {text.actions.replayGo}
            </Button>
          </>
        }
      >
        {replay.error === null ? null : <ErrorNotice title={text.actions.failed} error={replay.error} />}
        {plan.error === null ? null : <ErrorNotice error={plan.error} onRetry={() => void plan.refetch()} />}
        {plan.isPending ? <SkeletonLines /> : null}
        {isSame ? (
          <p role="status" className="mb-2 rounded-lg bg-sunken px-3 py-2.5 text-sm">
            {text.actions.replayNothing}
          </p>
        ) : null}
        <ul>
          {plan.data?.nodes.map((node) => (
            <li key={node.node_id} className="flex items-start gap-3 border-line border-b py-1.5 text-sm last:border-0">
              <span className="w-24 shrink-0">
                <StateBadge state={node.reused ? "reused" : "pending"} />
              </span>
              <span className="min-w-0">
                <span className="font-medium">{titleOf(node.node_id)}</span>
                {node.because === null ? null : <span className="block text-ink-2">{node.because.text}</span>}
              </span>
            </li>
          ))}
        </ul>
      </Dialog>
      {replay.dialog}
    </>
  );
}
