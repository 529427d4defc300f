// A new schedule: which flow, when, with what. What it writes is shown and authorized before it is added.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useMemo, useState } from "react";
import { savedFlows } from "~/api/flows";
import { keys } from "~/api/keys";
import { addSchedule, type AddSchedule as Request } from "~/api/schedules";
import { isRecord } from "~/canvas/document";
import { type Drafts, fill, readInputs } from "~/canvas/inputs";
import { RunForm } from "~/canvas/RunForm";
import { useAuthorized } from "~/components/Authorization";
import { type Executor, ExecutorField } from "~/components/ExecutorField";
import { schedules as text } from "~/text/en/schedules";
import { Button, ButtonLink } from "~/ui/Button";
import { RadioGroup } from "~/ui/Choice";
import { Dialog } from "~/ui/Dialog";
import { ErrorNotice } from "~/ui/ErrorNotice";
import { TextField } from "~/ui/Field";
import { Select } from "~/ui/Select";
import { toast } from "~/ui/Toast";
import { NextTicks, useTicks } from "./NextTicks";
import { titlesOf } from "./titles";

const words = text.form;
const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const ZONES = [...new Set([HERE, "UTC", ...Intl.supportedValuesOf("timeZone")])];

interface AddScheduleProps {
  onClose: () => void;
  onAdded: (id: string) => void;
}

export function AddSchedule({ onClose, onAdded }: AddScheduleProps) {
  const id = useId();
  const client = useQueryClient();
  const flows = useQuery(savedFlows()).data;
  const [flowId, setFlowId] = useState<string | null>(null);
  const [cron, setCron] = useState("");
  const [zone, setZone] = useState(HERE);
  const [version, setVersion] = useState<"latest" | "pinned">("latest");
  const [missed, setMissed] = useState<"skip" | "run_once">("skip");
  const [overlap, setOverlap] = useState<"skip" | "allow">("skip");
  const [executor, setExecutor] = useState<Executor>("deterministic");
  const [drafts, setDrafts] = useState<Drafts>({});
  const [tried, setTried] = useState(false);

  const chosen = flows?.find((flow) => flow.flow_id === flowId);
  const inputs = useMemo(() => {
    const declared = chosen?.flow.inputs;
    return readInputs(isRecord(declared) ? declared : {});
  }, [chosen]);
  const filled = useMemo(() => fill(inputs, drafts), [inputs, drafts]);
  const next = useTicks(cron, zone);
  const problems = {
    flow: flowId === null ? words.flowError : null,
    cron: cron.trim() === "" ? words.cronError : next.problem,
  };
  const isSound = problems.flow === null && problems.cron === null && Object.keys(filled.problems).length === 0;

  const add = useAuthorized({
    titleOf: titlesOf(chosen),
    send: (request: Request, authorization) => addSchedule({ ...request, effect_authorization: authorization }),
    onDone: (schedule) => {
      toast.done(words.saved);
      void client.invalidateQueries({ queryKey: keys.schedules.all });
      onClose();
      onAdded(schedule.schedule_id);
    },
  });
  const submit = () => {
    setTried(true);
    if (!isSound || flowId === null) return;
    const values = Object.fromEntries(
      Object.entries(filled.values).map(([name, value]) => [name, JSON.parse(value) as unknown]),
    );
    add.start({
      flow_id: flowId,
      cron: cron.trim(),
      time_zone: zone,
      version,
      missed,
      overlap,
      executor,
      inputs: values,
    });
  };

  return (
    <>
      <Dialog
        open
        onOpenChange={(open) => open || onClose()}
        title={words.title}
        description={words.lead}
        footer={
          <Button type="submit" form={id} variant="primary" busy={add.busy}>
            {words.save}
          </Button>
        }
      >
        {flows?.length === 0 ? (
          <div className="flex flex-col items-start gap-2">
            <p className="text-ink-2 text-sm">{text.noFlows.body}</p>
            <ButtonLink to="/flows">{text.noFlows.action}</ButtonLink>
          </div>
        ) : (
          <form
            id={id}
            noValidate
            className="flex flex-col gap-4"
            onSubmit={(event) => {
              event.preventDefault();
              submit();
            }}
          >
            {add.error === null ? null : <ErrorNotice title={words.failed} error={add.error} />}
            <Select
              label={words.flow}
              required
              options={(flows ?? []).map((flow) => ({ value: flow.flow_id, label: flow.name }))}
              value={flowId}
              placeholder={words.flowPlaceholder}
              onValueChange={(next) => {
                setFlowId(next);
                setDrafts({});
              }}
              error={tried ? problems.flow : null}
            />
            <div className="grid gap-4 sm:grid-cols-2">
              <TextField
                label={words.cron}
                required
                hint={words.cronHint}
                value={cron}
                onValueChange={setCron}
                error={tried ? problems.cron : next.problem}
              />
              <Select
                label={words.zone}
                options={ZONES.map((one) => ({ value: one, label: one }))}
                value={zone}
                onValueChange={setZone}
              />
            </div>
            <fieldset>
              <legend className="mb-1 font-medium text-ink-2 text-xs">{words.examples}</legend>
              <div className="flex flex-wrap gap-1.5">
                {Object.entries(words.patterns).map(([pattern, meaning]) => (
                  <Button key={pattern} size="sm" variant="ghost" title={pattern} onClick={() => setCron(pattern)}>
                    {meaning}
                  </Button>
                ))}
              </div>
            </fieldset>
            <NextTicks ticks={next.ticks} zone={zone} />
            {chosen === undefined || inputs.length === 0 ? null : (
              <fieldset>
                <legend className="mb-2 font-semibold text-sm">{words.inputs}</legend>
                <RunForm
                  inputs={inputs}
                  drafts={drafts}
                  filled={filled}
                  tried={tried}
                  onDraft={(name, draft) => setDrafts((held) => ({ ...held, [name]: draft }))}
                />
              </fieldset>
            )}
            <RadioGroup
              label={words.version}
              options={(["latest", "pinned"] as const).map((value) => ({ value, ...words.versions[value] }))}
              value={version}
              onValueChange={setVersion}
            />
            <RadioGroup
              label={words.missed}
              options={(["skip", "run_once"] as const).map((value) => ({ value, label: words.missedWays[value] }))}
              value={missed}
              onValueChange={setMissed}
            />
            <RadioGroup
              label={words.overlap}
              options={(["skip", "allow"] as const).map((value) => ({ value, label: words.overlapWays[value] }))}
              value={overlap}
              onValueChange={setOverlap}
              row
            />
            <ExecutorField value={executor} onValueChange={setExecutor} />
          </form>
        )}
      </Dialog>
      {add.dialog}
    </>
  );
}
