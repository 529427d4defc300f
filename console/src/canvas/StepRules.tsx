// The rules of a step: conditions, lists, failures, time. They count in graphs; setting one in a chain makes it a graph.

import { flows as text } from "~/text/en/flows";
import { Checkbox, Switch } from "~/ui/Choice";
import { TextField } from "~/ui/Field";
import { Select } from "~/ui/Select";
import { isRecord, textOf } from "./document";
import { useEditor, viewOf } from "./editor";
import { NumberField } from "./fields";
import { ancestors } from "./graph";
import { type GraphField, KIND_ROWS } from "./kinds";
import type { PartProps } from "./StepPanel";

const words = text.step;

/** The model's bounds; the server has the last word. */
const YEAR = 31_536_000;
const DAY = 86_400;
const CLASSES = ["timeout", "exit", "unavailable", "rate_limited", "malformed"] as const;

export function StepRules(props: PartProps) {
  const { step } = props;
  const flow = useEditor(viewOf);
  const fields = step.kind ? KIND_ROWS[step.kind].fields : [];
  return (
    <fieldset className="flex flex-col gap-3 border-line border-t pt-3">
      <legend className="float-left mb-2 font-semibold text-sm">{words.rules}</legend>
      {flow.version < 2 ? <p className="clear-both text-ink-3 text-xs">{words.sleeps}</p> : null}
      {fields.map((field) => {
        const Part = PARTS[field];
        return <Part key={field} {...props} />;
      })}
    </fieldset>
  );
}

const PARTS: Readonly<Record<GraphField, (props: PartProps) => React.ReactNode>> = {
  when: When,
  for_each: ForEach,
  retry: Retry,
  timeout_seconds: (props) => <Seconds {...props} field="timeout_seconds" label={words.timeout} max={DAY} />,
  deadline: (props) => <Seconds {...props} field="deadline" label={words.deadline} max={YEAR} />,
  repair: Repair,
  on_uncertain: Uncertain,
};

function When({ step, set, wrong }: PartProps) {
  return (
    <TextField
      label={words.when}
      hint={words.whenHint}
      className="clear-both"
      value={textOf(step.members.when) ?? ""}
      error={wrong("when")}
      onValueChange={(value) => set(["when"], value === "" ? undefined : value)}
    />
  );
}

function ForEach({ step, set, wrong }: PartProps) {
  const each = step.members.for_each;
  const isOn = isRecord(each);
  return (
    <div className="flex flex-col gap-2">
      <Switch
        label={words.forEachOn}
        checked={isOn}
        onCheckedChange={(on) => set(["for_each"], on ? { items: "input.items" } : undefined)}
      />
      {isOn ? (
        <div className="grid grid-cols-[1fr_8rem] gap-3 pl-9">
          <TextField
            label={words.forEach}
            hint={words.forEachHint}
            value={textOf(each.items) ?? ""}
            error={wrong("for_each", "items") ?? wrong("for_each")}
            onValueChange={(value) => set(["for_each", "items"], value)}
          />
          <NumberField
            label={words.maxParallel}
            value={each.max_parallel}
            placeholder="4"
            min={1}
            max={64}
            problem={words.notInteger}
            error={wrong("for_each", "max_parallel")}
            onTake={(value) => set(["for_each", "max_parallel"], value)}
          />
        </div>
      ) : null}
    </div>
  );
}

const RETRY_NUMBERS = [
  { field: "attempts", label: words.attempts, min: 2, max: 20, placeholder: "2" },
  { field: "backoff_seconds", label: words.backoff, min: 0, max: 3600, placeholder: "1" },
  { field: "backoff_factor", label: words.backoffFactor, min: 1, max: 10, placeholder: "2" },
  { field: "backoff_max_seconds", label: words.backoffMax, min: 0, max: 3600, placeholder: "60" },
] as const;

function Retry({ step, facts, set, wrong }: PartProps) {
  const retry = step.members.retry;
  const isOn = isRecord(retry);
  const writes = facts.steps.get(step.key)?.writes ?? false;
  const on = isOn && Array.isArray(retry.on) ? retry.on : CLASSES;
  return (
    <div className="flex flex-col gap-2">
      <Switch
        label={words.retryOn}
        checked={isOn}
        onCheckedChange={(turned) => set(["retry"], turned ? { attempts: 2 } : undefined)}
      />
      {isOn ? (
        <div className="flex flex-col gap-3 pl-9">
          <div className="grid grid-cols-2 gap-3">
            {RETRY_NUMBERS.map(({ field, ...rest }) => (
              <NumberField
                key={field}
                {...rest}
                value={retry[field]}
                problem={words.notInteger}
                error={wrong("retry", field)}
                // Without its number of attempts a retry is none.
                onTake={(value) => set(["retry", field], value ?? (field === "attempts" ? 2 : undefined))}
              />
            ))}
          </div>
          <div className="flex flex-col gap-1">
            <span className="font-medium text-ink-2 text-xs">{words.retryFor}</span>
            {CLASSES.map((one) => (
              <Checkbox
                key={one}
                label={words.classes[one]}
                checked={on.includes(one)}
                onCheckedChange={(checked) => {
                  const next = CLASSES.filter((known) => (known === one ? checked : on.includes(known)));
                  // An empty list is refused, and all of them are the default.
                  if (next.length > 0) set(["retry", "on"], next.length === CLASSES.length ? undefined : next);
                }}
              />
            ))}
          </div>
          {writes || retry.repeat_writes === true ? (
            <Checkbox
              label={words.repeatWrites}
              checked={retry.repeat_writes === true}
              onCheckedChange={(checked) => set(["retry", "repeat_writes"], checked ? true : undefined)}
            />
          ) : null}
          {wrong("retry") === undefined ? null : <p className="text-bad text-xs">{wrong("retry")}</p>}
        </div>
      ) : null}
    </div>
  );
}

interface SecondsProps extends PartProps {
  field: "timeout_seconds" | "deadline";
  label: string;
  max: number;
}

function Seconds({ step, set, wrong, field, label, max }: SecondsProps) {
  return (
    <NumberField
      label={label}
      value={step.members[field]}
      min={1}
      max={max}
      problem={words.notInteger}
      error={wrong(field)}
      onTake={(value) => set([field], value)}
    />
  );
}

const NOWHERE = "";

function Repair({ step, set, wrong }: PartProps) {
  const flow = useEditor(viewOf);
  const repair = isRecord(step.members.repair) ? step.members.repair : undefined;
  const before = ancestors(flow, step.key);
  const options = [
    { value: NOWHERE, label: words.repairNone },
    ...flow.steps
      .filter(({ key }) => before.has(key))
      .map(({ key, title }) => ({ value: key, label: key, detail: title })),
  ];
  return (
    <div className="grid grid-cols-[1fr_8rem] gap-3">
      <Select
        label={words.repair}
        options={options}
        value={textOf(repair?.from) ?? NOWHERE}
        error={wrong("repair", "from") ?? wrong("repair")}
        onValueChange={(from) => set(["repair"], from === NOWHERE ? undefined : { max_rounds: 2, ...repair, from })}
      />
      {repair === undefined ? null : (
        <NumberField
          label={words.repairRounds}
          value={repair.max_rounds}
          min={1}
          max={20}
          problem={words.notInteger}
          error={wrong("repair", "max_rounds")}
          onTake={(value) => set(["repair", "max_rounds"], value ?? 1)}
        />
      )}
    </div>
  );
}

function Uncertain({ step, facts, set, wrong }: PartProps) {
  // Only what may write can be lost without anybody knowing whether it did.
  if (!facts.steps.get(step.key)?.writes && step.members.on_uncertain === undefined) return null;
  return (
    <Select
      label={words.uncertain}
      options={[
        { value: "fail", label: words.uncertainFail },
        { value: "ask", label: words.uncertainAsk },
      ]}
      value={step.members.on_uncertain === "ask" ? "ask" : "fail"}
      error={wrong("on_uncertain")}
      onValueChange={(value) => set(["on_uncertain"], value === "fail" ? undefined : value)}
    />
  );
}
