// Hands a task to an agent: a new one, or one that was kept. What the agent offers is asked only when somebody wants to
// know, because that starts it.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Search, Send } from "lucide-react";
import { useId, useMemo, useState } from "react";
import { agents, describedAgent } from "~/api/capabilities";
import { keys } from "~/api/keys";
import { type Dispatch, dispatchTask } from "~/api/tasks";
import { dispatch as text } from "~/text/en/dispatch";
import { Button } from "~/ui/Button";
import { Checkbox } from "~/ui/Choice";
import { Dialog } from "~/ui/Dialog";
import { ErrorNotice } from "~/ui/ErrorNotice";
import { TextArea, TextField } from "~/ui/Field";
import { Link } from "~/ui/Link";
import { Select } from "~/ui/Select";
import { isSound, KeepFields, useKeep } from "./KeepFields";

/** What an agent may ask for. */
const KINDS = ["read", "search", "edit", "delete", "move", "execute", "fetch", "think", "other"] as const;
/** Stands for leaving a setting as it is; the kit's choice knows no empty value. */
const UNCHANGED = "";

interface DispatchDialogProps {
  onClose: () => void;
  /** The agent that is chosen at first. */
  agent?: string;
  /** The turn is for an agent that was kept. */
  onAgent?: { handle: string; agent: string };
}

export function DispatchDialog({ onClose, agent: first, onAgent }: DispatchDialogProps) {
  const known = useQuery(agents()).data;
  const client = useQueryClient();
  const navigate = useNavigate();
  const form = useId();
  const [agent, setAgent] = useState<string | null>(onAgent?.agent ?? first ?? null);
  const [prompt, setPrompt] = useState("");
  const [workspace, setWorkspace] = useState("");
  const [allow, setAllow] = useState<readonly string[]>([]);
  const [model, setModel] = useState(UNCHANGED);
  const [effort, setEffort] = useState(UNCHANGED);
  const keep = useKeep();
  const [deadline, setDeadline] = useState("");
  const [session, setSession] = useState("");
  const [tried, setTried] = useState(false);
  // One key for one wish: sent again after a lost reply it is the same task.
  const key = useMemo(() => crypto.randomUUID(), []);

  const offer = useQuery({ ...describedAgent(agent ?? ""), enabled: false });
  const seconds = deadline.trim() === "" ? null : Number(deadline);
  const problems = {
    agent: agent === null ? text.agentMissing : null,
    prompt: prompt.trim() === "" ? text.promptMissing : null,
    deadline: seconds === null || (Number.isFinite(seconds) && seconds > 0) ? null : text.deadlineError,
  };
  const shownProblem = (problem: string | null) => (tried ? problem : null);

  const start = useMutation({
    mutationFn: () => {
      const options = {
        ...(allow.length === 0 ? {} : { allow: [...allow] }),
        ...(model === UNCHANGED ? {} : { model }),
        ...(effort === UNCHANGED ? {} : { effort }),
      };
      const request: Dispatch = {
        agent: agent ?? "",
        prompt,
        workspace: workspace.trim() === "" ? null : workspace.trim(),
        options,
        keep_idle: keep.idle ?? null,
        keep_turns: keep.turns ?? null,
        deadline_seconds: seconds,
        client_key: key,
        ...(onAgent === undefined
          ? { session_id: session.trim() === "" ? null : session.trim() }
          : { on_agent: onAgent.handle }),
      };
      return dispatchTask(request);
    },
    onSuccess: (task) => {
      void client.invalidateQueries({ queryKey: keys.tasks.all });
      onClose();
      void navigate({ to: "/tasks/$taskId", params: { taskId: task.task_id } });
    },
  });

  const submit = () => {
    setTried(true);
    if (isSound(keep) && Object.values(problems).every((problem) => problem === null)) start.mutate();
  };
  const choose = (kind: string, on: boolean) =>
    setAllow((held) => (on ? [...held, kind] : held.filter((one) => one !== kind)));
  const choices = (offered: { values: string[] } | null | undefined) => [
    { value: UNCHANGED, label: text.unchanged },
    ...(offered?.values ?? []).map((value) => ({ value, label: value })),
  ];

  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={text.title}
      description={text.lead}
      width="md"
      footer={
        <Button type="submit" form={form} variant="primary" icon={Send} busy={start.isPending}>
          {text.start}
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
        {start.error === null ? null : <ErrorNotice title={text.failed} error={start.error} />}
        {known?.nested === true ? <p className="text-bad text-sm">{text.nested}</p> : null}
        <Select
          label={text.agent}
          required
          options={(known?.items ?? []).map(({ agent, path }) => ({
            value: agent,
            label: agent,
            ...(path === null ? { disabled: true, detail: text.missing } : {}),
          }))}
          value={agent}
          onValueChange={(next) => {
            setAgent(next);
            setModel(UNCHANGED);
            setEffort(UNCHANGED);
          }}
          placeholder={text.agentPlaceholder}
          disabled={onAgent !== undefined}
          error={shownProblem(problems.agent)}
        />
        {known?.items.some(({ path }) => path !== null) === false ? (
          <p className="text-bad text-sm">
            {text.noneInstalled}{" "}
            <Link to="/capabilities" search={{ tab: "agents" }}>
              {text.whatIsNeeded}
            </Link>
          </p>
        ) : null}
        <TextArea
          label={text.prompt}
          required
          value={prompt}
          onValueChange={setPrompt}
          rows={6}
          error={shownProblem(problems.prompt)}
        />
        <fieldset>
          <legend className="font-medium text-ink-2 text-xs">{text.allow}</legend>
          <p className="mb-1.5 text-ink-3 text-xs">{text.allowHint}</p>
          <div className="grid grid-cols-2 gap-x-4 gap-y-1 sm:grid-cols-3">
            {KINDS.map((kind) => (
              <Checkbox
                key={kind}
                label={text.kinds[kind] ?? kind}
                checked={allow.includes(kind)}
                onCheckedChange={(on) => choose(kind, on)}
              />
            ))}
          </div>
        </fieldset>
        <details className="text-sm">
          <summary className="text-ink-2">{text.more}</summary>
          <div className="mt-3 flex flex-col gap-4">
            {onAgent === undefined ? (
              <TextField
                label={text.workspace}
                hint={text.workspaceHint}
                value={workspace}
                placeholder={known?.workspace}
                onValueChange={setWorkspace}
              />
            ) : null}
            {offer.data === undefined ? (
              <div>
                <Button
                  size="sm"
                  icon={Search}
                  disabled={agent === null}
                  busy={offer.isFetching}
                  onClick={() => void offer.refetch()}
                >
                  {text.offer}
                </Button>
                <p className="mt-1 text-ink-3 text-xs">{text.offerHint}</p>
                {offer.error === null ? null : <ErrorNotice error={offer.error} />}
              </div>
            ) : (
              <div className="grid gap-4 sm:grid-cols-2">
                <Select
                  label={text.model}
                  options={choices(offer.data.model)}
                  value={model}
                  onValueChange={setModel}
                  disabled={offer.data.model === null}
                />
                <Select
                  label={text.effort}
                  options={choices(offer.data.effort)}
                  value={effort}
                  onValueChange={setEffort}
                  disabled={offer.data.effort === null}
                />
              </div>
            )}
            <div className="grid gap-4 sm:grid-cols-2">
              <KeepFields keep={keep} words={text} tried={tried} />
              <TextField
                label={text.deadline}
                hint={text.deadlineHint}
                inputMode="decimal"
                value={deadline}
                onValueChange={setDeadline}
                error={shownProblem(problems.deadline)}
              />
              {onAgent === undefined ? (
                <TextField label={text.session} hint={text.sessionHint} value={session} onValueChange={setSession} />
              ) : null}
            </div>
          </div>
        </details>
      </form>
    </Dialog>
  );
}
