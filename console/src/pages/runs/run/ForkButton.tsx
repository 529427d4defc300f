// Runs again from a node on, with every result outside of it. Asked with a box to tick, and for leave when it writes.

import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { GitFork } from "lucide-react";
import { useState } from "react";
import { answer, api } from "~/api/client";
import { keys } from "~/api/keys";
import { isRecorded } from "~/api/recorded";
import type { RunSummary } from "~/api/types";
import { useAuthorized } from "~/components/Authorization";
import { common } from "~/text/en/common";
import { run as text } from "~/text/en/run";
import { Button, type ButtonVariant } from "~/ui/Button";
import { Checkbox } from "~/ui/Choice";
import { Dialog } from "~/ui/Dialog";
import { ErrorNotice } from "~/ui/ErrorNotice";
import { toast } from "~/ui/Toast";
import { downstream } from "./downstream";
import type { RunGraph } from "./graph";

interface ForkButtonProps {
  run: RunSummary;
  graph: RunGraph;
  nodeId: string;
  label?: string;
  variant?: ButtonVariant;
}

export function ForkButton({ run, graph, nodeId, label = text.actions.fork, variant = "secondary" }: ForkButtonProps) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const [open, setOpen] = useState(false);
  const [sure, setSure] = useState(false);
  const titleOf = (id: string) => graph.nodes.find((node) => node.id === id)?.title ?? id;
  const again = downstream(graph, nodeId);
  const fork = useAuthorized<string, { run_id: string }>({
    titleOf,
    send: (from_node_id, authorization) => {
      const body =
        authorization === null
          ? { contract_version: "symphlo.run-fork-request.v1" as const, from_node_id }
          : {
              contract_version: "symphlo.authorized-run-fork-request.v1" as const,
              from_node_id,
              effect_authorization: authorization,
            };
      const params = { path: { run_id: run.run_id } };
      return answer(api.POST("/api/v1/runs/{run_id}/forks", { params, body }));
    },
    onDone: ({ run_id }) => {
      setOpen(false);
      toast.done(text.actions.forked);
      void client.invalidateQueries({ queryKey: keys.runs.lists });
      void navigate({ to: "/runs/$runId", params: { runId: run_id } });
    },
  });
  if (isRecorded()) return null;

  return (
    <>
      <div>
        <Button
          icon={GitFork}
          variant={variant}
          onClick={() => {
            setSure(false);
            fork.reset();
            setOpen(true);
          }}
        >
          {label}
        </Button>
      </div>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title={text.actions.forkTitle(titleOf(nodeId))}
        description={text.actions.forkLead}
        footer={
          <>
            <Button onClick={() => setOpen(false)}>{common.actions.cancel}</Button>
            <Button variant="primary" disabled={!sure} busy={fork.busy} onClick={() => fork.start(nodeId)}>
              {text.actions.forkGo}
            </Button>
          </>
        }
      >
        <div className="flex flex-col gap-3">
          {fork.error === null ? null : <ErrorNotice title={text.actions.failed} error={fork.error} />}
          <div>
            <h3 className="mb-1 font-medium text-ink-2 text-xs">{text.actions.forkNodes}</h3>
            <ul className="list-disc pl-5 text-sm">
              {again.map((id) => (
                <li key={id}>{titleOf(id)}</li>
              ))}
            </ul>
          </div>
          <Checkbox label={text.actions.forkConfirm} checked={sure} onCheckedChange={setSure} />
        </div>
      </Dialog>
      {fork.dialog}
    </>
  );
}
