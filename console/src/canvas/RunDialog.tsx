// Starting a Run: the values, then, if it writes, what it writes. Invalid values never leave the browser, and nothing is
// authorized that was not shown.

import { useMutation } from "@tanstack/react-query";
import { Eye, Play } from "lucide-react";
import { useId, useMemo, useState } from "react";
import { previewRun, startRun } from "~/api/documents";
import { useAuthorized } from "~/components/Authorization";
import { type Executor, ExecutorField } from "~/components/ExecutorField";
import { flows as text } from "~/text/en/flows";
import { Button } from "~/ui/Button";
import { Dialog } from "~/ui/Dialog";
import { ErrorNotice } from "~/ui/ErrorNotice";
import type { FlowView } from "./document";
import { type Drafts, fill, inputsJson, readInputs } from "./inputs";
import { RunForm } from "./RunForm";
import { RunPreview } from "./RunPreview";

const words = text.run;

interface RunDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  localId: string;
  flow: FlowView;
  drafts: Drafts;
  onDrafts: (drafts: Drafts) => void;
  onStarted: (runId: string) => void;
}

export function RunDialog({ open, onOpenChange, localId, flow, drafts, onDrafts, onStarted }: RunDialogProps) {
  const inputs = useMemo(() => readInputs(flow.inputs), [flow.inputs]);
  const filled = useMemo(() => fill(inputs, drafts), [inputs, drafts]);
  const [executor, setExecutor] = useState<Executor>("deterministic");
  const [tried, setTried] = useState(false);
  const [round, setRound] = useState(0);
  // One key for one wish: sent again after a lost reply it gives the same Run, and other values are another wish.
  // biome-ignore lint/correctness/useExhaustiveDependencies: they make a wish another one
  const key = useMemo(() => crypto.randomUUID(), [localId, executor, filled, round]);
  const form = useId();
  // Some step is an agent's and bound to nothing: the Run's executor does it.
  const asksExecutor = flow.steps.some((step) => step.kind === "agent.task" && step.capabilityId === undefined);

  const run = useAuthorized({
    send: (wish: { inputs: string; key: string }, authorization) =>
      startRun({ localId, executor, authorization, ...wish }),
    onDone: (runId) => {
      setRound((before) => before + 1);
      onStarted(runId);
    },
    titleOf: (id) => flow.byKey.get(id)?.title ?? id,
  });

  /** Of values that have not changed since. */
  const preview = useMutation({ mutationFn: (inputs: string) => previewRun(localId, executor, inputs) });
  const previewed = preview.variables === inputsJson(filled) ? preview.data : undefined;

  const problems = Object.keys(filled.problems).length;
  const submit = () => {
    setTried(true);
    if (problems === 0) run.start({ inputs: inputsJson(filled), key });
  };
  const close = (next: boolean) => {
    if (!next) {
      setTried(false);
      run.reset();
      preview.reset();
    }
    onOpenChange(next);
  };

  return (
    <Dialog
      open={open}
      onOpenChange={close}
      title={words.title(flow.name || flow.id)}
      description={words.lead}
      footer={
        <>
          <Button
            icon={Eye}
            busy={preview.isPending}
            onClick={() => {
              setTried(true);
              if (problems === 0) preview.mutate(inputsJson(filled));
            }}
          >
            {words.preview.action}
          </Button>
          <Button type="submit" form={form} variant="primary" icon={Play} busy={run.busy}>
            {run.busy ? words.starting : words.start}
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
        {run.error === null ? null : <ErrorNotice title={words.failed} error={run.error} />}
        {tried && problems > 0 ? (
          <p role="alert" className="rounded-md bg-bad-soft px-2.5 py-1.5 text-bad text-sm">
            {words.invalid(problems)}
          </p>
        ) : null}
        <RunForm
          inputs={inputs}
          drafts={drafts}
          filled={filled}
          tried={tried}
          onDraft={(input, draft) => onDrafts({ ...drafts, [input]: draft })}
        />
        {asksExecutor ? (
          <ExecutorField
            value={executor}
            onValueChange={(next) => {
              setExecutor(next);
              preview.reset();
            }}
          />
        ) : null}
        {preview.error === null ? null : <ErrorNotice title={words.preview.failed} error={preview.error} />}
        {previewed === undefined ? null : <RunPreview preview={previewed} />}
      </form>
      {run.dialog}
    </Dialog>
  );
}
