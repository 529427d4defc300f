// Starting a Run: the values, then, if it writes, what it writes. Invalid values never leave the browser, and nothing is
// authorized that was not shown.

import { useMutation, useQuery } from "@tanstack/react-query";
import { Play } from "lucide-react";
import { useId, useMemo, useState } from "react";
import { startRun } from "~/api/documents";
import { asApiError } from "~/api/error";
import { systemStatus } from "~/api/system";
import type { Challenge } from "~/api/types";
import { EffectChallenge } from "~/components/EffectChallenge";
import { flows as text } from "~/text/en/flows";
import { Button } from "~/ui/Button";
import { Dialog } from "~/ui/Dialog";
import { ErrorNotice } from "~/ui/ErrorNotice";
import { Select } from "~/ui/Select";
import { type Drafts, fill, inputsJson, readInputs } from "./inputs";
import { RunForm } from "./RunForm";

const words = text.run;

interface RunDialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  localId: string;
  name: string;
  inputs: Readonly<Record<string, unknown>>;
  drafts: Drafts;
  onDrafts: (drafts: Drafts) => void;
  /** Some step is an agent's and bound to nothing, so that the Run's executor does it. */
  asksExecutor: boolean;
  onStarted: (runId: string) => void;
}

export function RunDialog(props: RunDialogProps) {
  const { open, onOpenChange, localId, name, drafts, onDrafts, asksExecutor, onStarted } = props;
  const inputs = useMemo(() => readInputs(props.inputs), [props.inputs]);
  const filled = useMemo(() => fill(inputs, drafts), [inputs, drafts]);
  const [executor, setExecutor] = useState("deterministic");
  const [tried, setTried] = useState(false);
  const [challenge, setChallenge] = useState<Challenge | null>(null);
  const [confirmed, setConfirmed] = useState(false);
  const [round, setRound] = useState(0);
  // One key for one wish: sent again after a lost reply it gives the same Run, and other values are another wish.
  // biome-ignore lint/correctness/useExhaustiveDependencies: they make a wish another one
  const key = useMemo(() => crypto.randomUUID(), [localId, executor, filled, round]);
  const status = useQuery({ ...systemStatus(), enabled: open }).data;
  const form = useId();

  const start = useMutation({
    mutationFn: (authorization: Challenge["authorization"] | null) =>
      startRun({ localId, executor, inputs: inputsJson(filled), authorization, key }),
    onSuccess: (runId) => {
      setRound((before) => before + 1);
      setChallenge(null);
      onStarted(runId);
    },
    onError: (thrown) => {
      // A challenge after an authorization: something changed meanwhile, and it is shown anew.
      setChallenge(asApiError(thrown).challenge);
      setConfirmed(false);
    },
  });

  const problems = Object.keys(filled.problems).length;
  const submit = () => {
    setTried(true);
    if (problems === 0) start.mutate(null);
  };
  const close = (next: boolean) => {
    if (!next) {
      setChallenge(null);
      setTried(false);
      start.reset();
    }
    onOpenChange(next);
  };
  const failed = start.error !== null && asApiError(start.error).challenge === null ? start.error : null;

  if (challenge !== null)
    return (
      <Dialog
        open={open}
        onOpenChange={close}
        title={words.authorize.title}
        description={words.authorize.lead}
        footer={
          <>
            <Button onClick={() => setChallenge(null)}>{words.authorize.back}</Button>
            <Button onClick={() => close(false)}>{words.authorize.refuse}</Button>
            <Button
              variant="primary"
              icon={Play}
              disabled={!confirmed}
              busy={start.isPending}
              onClick={() => start.mutate(challenge.authorization)}
            >
              {words.authorize.action}
            </Button>
          </>
        }
      >
        <EffectChallenge
          challenge={challenge}
          workspace={status?.workspace_name}
          confirmed={confirmed}
          onConfirmedChange={setConfirmed}
        />
      </Dialog>
    );

  return (
    <Dialog
      open={open}
      onOpenChange={close}
      title={words.title(name)}
      description={words.lead}
      footer={
        <Button type="submit" form={form} variant="primary" icon={Play} busy={start.isPending}>
          {start.isPending ? words.starting : words.start}
        </Button>
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
        {failed === null ? null : <ErrorNotice title={words.failed} error={failed} />}
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
          <Select
            label={words.executor}
            options={(status?.executors ?? []).map(({ id, label, available }) => ({
              value: id,
              label: words.executors[id as keyof typeof words.executors] ?? label,
              disabled: !available,
              ...(available ? {} : { detail: words.unavailable }),
            }))}
            value={executor}
            onValueChange={setExecutor}
          />
        ) : null}
      </form>
    </Dialog>
  );
}
