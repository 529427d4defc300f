// Runs again from a node on, with every result outside of it and the inputs as they were or changed. Asked with a box
// to tick, and for leave when it writes.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useId, useMemo, useState } from "react";
import { keys } from "~/api/keys";
import { forkRun, runDetail, runFlow } from "~/api/runs";
import type { RunSummary } from "~/api/types";
import { isRecord } from "~/canvas/document";
import { type Drafts, fill } from "~/canvas/inputs";
import { RunForm } from "~/canvas/RunForm";
import { useAuthorized } from "~/components/Authorization";
import { common } from "~/text/en/common";
import { run as text } from "~/text/en/run";
import { Button } from "~/ui/Button";
import { Checkbox } from "~/ui/Choice";
import { cx } from "~/ui/cx";
import { Dialog } from "~/ui/Dialog";
import { ErrorNotice } from "~/ui/ErrorNotice";
import { toast } from "~/ui/Toast";
import { downstream } from "./downstream";
import { changedInputs, heldInputs } from "./forkInputs";
import { type RunGraph, titleIn } from "./graph";
import { madeAgainFrom, type Stale, stale } from "./stale";

const words = text.actions;

interface ForkDialogProps {
  run: RunSummary;
  graph: RunGraph;
  nodeId: string;
  onClose: () => void;
}

export function ForkDialog({ run, graph, nodeId, onClose }: ForkDialogProps) {
  const form = useId();
  const navigate = useNavigate();
  const client = useQueryClient();
  const declared = useQuery(runFlow(run.run_id)).data?.document.inputs;
  const flowInput = useQuery(runDetail(run.run_id)).data?.flow_input;
  const [drafts, setDrafts] = useState<Drafts>({});
  const [sure, setSure] = useState(false);
  const [tried, setTried] = useState(false);
  const inputs = useMemo(
    () => (isRecord(declared) && flowInput != null ? heldInputs(declared, flowInput) : []),
    [declared, flowInput],
  );
  const filled = useMemo(() => fill(inputs, drafts), [inputs, drafts]);
  const changed = changedInputs(inputs, filled);
  const titleOf = titleIn(graph);
  const again = downstream(graph, nodeId);
  const kept = useMemo(() => stale(graph, nodeId), [graph, nodeId]);
  const fork = useAuthorized({
    titleOf,
    send: (wanted: Record<string, unknown> | null, authorization) => forkRun(run.run_id, nodeId, wanted, authorization),
    onDone: ({ run_id }) => {
      onClose();
      toast.done(words.forked);
      void client.invalidateQueries({ queryKey: keys.runs.lists });
      void navigate({ to: "/runs/$runId", params: { runId: run_id } });
    },
  });
  const submit = () => {
    setTried(true);
    if (sure && Object.keys(filled.problems).length === 0) fork.start(changed);
  };

  return (
    <>
      <Dialog
        open
        onOpenChange={(open) => open || onClose()}
        title={words.forkTitle(titleOf(nodeId))}
        description={words.forkLead}
        footer={
          <>
            <Button onClick={onClose}>{common.actions.cancel}</Button>
            <Button type="submit" form={form} variant="primary" disabled={!sure} busy={fork.busy}>
              {words.forkGo}
            </Button>
          </>
        }
      >
        <form
          id={form}
          noValidate
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          {fork.error === null ? null : <ErrorNotice title={words.failed} error={fork.error} />}
          <div>
            <h3 className="mb-1 font-medium text-ink-2 text-xs">{words.forkNodes}</h3>
            <ul aria-label={words.forkNodes} className="list-disc pl-5 text-sm">
              {again.map((id) => (
                <li key={id}>{titleOf(id)}</li>
              ))}
            </ul>
          </div>
          {inputs.length === 0 ? null : (
            <fieldset>
              <legend className="font-medium text-ink-2 text-xs">{words.forkInputs}</legend>
              <p className="mb-2 text-ink-3 text-xs">
                {changed === null ? words.forkInputsSame : words.forkInputsChanged(Object.keys(changed))}
              </p>
              <RunForm
                inputs={inputs}
                drafts={drafts}
                filled={filled}
                tried={tried}
                onDraft={(name, draft) => setDrafts((held) => ({ ...held, [name]: draft }))}
              />
              {kept.length === 0 ? null : <Kept kept={kept} graph={graph} isWarning={changed !== null} />}
            </fieldset>
          )}
          <Checkbox label={words.forkConfirm} checked={sure} onCheckedChange={setSure} />
        </form>
      </Dialog>
      {fork.dialog}
    </>
  );
}

interface KeptProps {
  kept: readonly Stale[];
  graph: RunGraph;
  /** An input was changed, which these will not see. */
  isWarning: boolean;
}

function Kept({ kept, graph, isWarning }: KeptProps) {
  const title = useId();
  const said = words.forkStale;
  const titleOf = titleIn(graph);
  const first = madeAgainFrom(graph, kept);
  return (
    <section
      aria-labelledby={title}
      className={cx("mt-3 rounded-lg px-3 py-2.5 text-sm", isWarning ? "bg-wait-soft" : "bg-sunken")}
    >
      <h3 id={title} className={cx("font-semibold", isWarning && "text-wait")}>
        {said.title}
      </h3>
      <p>{said.body}</p>
      <ul className="max-h-32 list-disc overflow-auto pl-5">
        {kept.map(({ id, reads }) => (
          <li key={id}>
            {titleOf(id)} <span className="text-ink-2">{reads ? said.reads : said.derived}</span>
          </li>
        ))}
      </ul>
      {first === null ? null : <p className="mt-1">{said.wayOut(titleOf(first))}</p>}
    </section>
  );
}
