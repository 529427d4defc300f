// What one step is: everything an author can say about it, in the order in which it is thought about.

import { useQuery } from "@tanstack/react-query";
import { Copy, Plus, Trash2, X } from "lucide-react";
import { useEffect, useRef } from "react";
import { savedFlows } from "~/api/flows";
import { flows as text } from "~/text/en/flows";
import { Badge } from "~/ui/Badge";
import { Button, IconButton } from "~/ui/Button";
import { Checkbox } from "~/ui/Choice";
import { TextArea, TextField } from "~/ui/Field";
import { Link } from "~/ui/Link";
import { Menu } from "~/ui/Menu";
import { Select } from "~/ui/Select";
import { isRecord, type Step, textOf } from "./document";
import { type EditRefusal, knownSteps, useEditor, useEditorStore, viewOf } from "./editor";
import { said } from "./effects";
import { focusStep } from "./FlowCanvas";
import type { Facts } from "./facts";
import { DraftField, type Taken } from "./fields";
import { at } from "./findings";
import { wouldCycle } from "./graph";
import { nameStep, titleOf } from "./ids";
import { GRAPH_FIELDS, KIND_ROWS, KINDS, ROLE_IDS } from "./kinds";
import { KIND_ICONS } from "./nodes/look";
import {
  bind,
  connect,
  disconnect,
  duplicate,
  insertAfter,
  remove,
  renameStep,
  STEP_ID_MAX,
  setField,
  setGathers,
} from "./operations";
import { PersonFields } from "./PersonFields";
import { StepRules } from "./StepRules";
import { SubflowFields } from "./SubflowFields";

export interface PartProps {
  step: Step;
  facts: Facts;
  /** Sets a field, or takes it away with `undefined`. */
  set: (path: readonly [string, ...string[]], value: unknown) => void;
  /** What the server found wrong with a field. */
  wrong: (...path: string[]) => string | undefined;
}

const words = text.step;

export function StepPanel({ step, facts }: { step: Step; facts: Facts }) {
  const store = useEditorStore();
  const { change } = store.getState();
  const row = step.kind && KIND_ROWS[step.kind];
  const part: PartProps = {
    step,
    facts,
    set: (path, value) =>
      void change((document) => setField(document, step.key, path, value), `${step.key}: ${path.join(".")}`),
    wrong: (...path) => at(facts.findings, step.key, path),
  };
  return (
    <section aria-label={words.title} className="flex flex-col gap-4 p-3">
      <header className="flex items-center gap-1">
        <h2 className="min-w-0 flex-1 truncate font-semibold text-base">{step.title || step.key}</h2>
        <Menu
          trigger={<IconButton icon={Plus} label={words.insertAfter} size="sm" />}
          actions={KINDS.map((kind) => ({
            label: text.kinds[kind],
            icon: KIND_ICONS[kind],
            onSelect: () => void store.getState().add((document) => insertAfter(document, kind, step.key)),
          }))}
        />
        <IconButton
          icon={Copy}
          label={words.duplicate}
          size="sm"
          onClick={() => change((document) => duplicate(document, step.key))}
        />
        <IconButton
          icon={Trash2}
          label={words.remove}
          size="sm"
          onClick={() => change((document) => remove(document, [step.key]))}
        />
      </header>
      {facts.steps.get(step.key)?.problem ? (
        <p role="status" className="rounded-md bg-bad-soft px-2.5 py-1.5 text-bad text-sm">
          {facts.steps.get(step.key)?.problem}
        </p>
      ) : null}
      <Identity {...part} />
      <Sources step={step} problem={part.wrong("from")} />
      {row?.hasInstruction ? (
        <TextArea
          label={step.kind === "human.task" ? words.question : words.instruction}
          hint={step.kind === "human.task" ? words.questionHint : words.instructionHint}
          rows={4}
          value={step.prompt ?? ""}
          error={part.wrong("prompt")}
          onValueChange={(value) => part.set(["prompt"], value === "" ? undefined : value)}
        />
      ) : null}
      {row && row.accepts.length > 0 ? <Binding {...part} /> : null}
      {step.kind === "human.task" ? <PersonFields {...part} /> : null}
      {step.kind === "flow.task" ? <SubflowFields {...part} /> : null}
      <Effects step={step} facts={facts} />
      {row?.hasSession ? (
        <TextField
          label={words.session}
          hint={words.sessionHint}
          value={textOf(step.members.session_group) ?? ""}
          error={part.wrong("session_group")}
          onValueChange={(value) => part.set(["session_group"], value === "" ? undefined : value)}
        />
      ) : null}
      {row ? <StepRules {...part} /> : null}
      <Others step={step} />
    </section>
  );
}

function Identity({ step, wrong }: PartProps) {
  const flow = useEditor(viewOf);
  const store = useEditorStore();
  const { change, named } = store.getState();
  const isNaming = useEditor((editor) => editor.naming === step.key);
  const name = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (!isNaming) return;
    name.current?.focus();
    named();
  }, [isNaming, named]);
  const read = (draft: string): Taken<string> => {
    const id = draft.trim();
    const refusal: EditRefusal | null =
      id === ""
        ? "id_blank"
        : id.length > STEP_ID_MAX
          ? "id_long"
          : flow.byKey.has(id) && id !== step.id
            ? "id_taken"
            : null;
    return refusal === null ? { value: id } : { problem: text.refusals[refusal] };
  };
  return (
    <div className="grid grid-cols-2 gap-3">
      <TextField
        label={words.name}
        value={titleOf(step)}
        placeholder={step.prompt?.slice(0, 60) || step.id}
        error={wrong("params", "title")}
        onValueChange={(value) => {
          // Its place stands for the step while the id follows, so that one undo takes back the whole title.
          const about = `${step.index}: title`;
          change((document) => nameStep(document, step.key, value, knownSteps(store.getState())), about);
        }}
        ref={name}
        onKeyDown={(event) => {
          if (event.key !== "Enter" && event.key !== "Escape") return;
          // The next step is added with a key again.
          event.preventDefault();
          focusStep(step.key);
        }}
      />
      <DraftField
        key={step.key}
        label={words.id}
        value={step.id}
        late
        read={read}
        error={wrong("id")}
        onTake={(id) => void change((document) => renameStep(document, step.key, id))}
      />
    </div>
  );
}

function Sources({ step, problem }: { step: Step; problem: string | undefined }) {
  const flow = useEditor(viewOf);
  const { change, select } = useEditorStore().getState();
  const others = flow.steps.filter((other) => !step.from.includes(other.id) && !wouldCycle(flow, other.key, step.key));
  return (
    <div className="flex flex-col gap-1.5">
      <span className="font-medium text-ink-2 text-xs" id="sources">
        {words.from}
      </span>
      <ul aria-labelledby="sources" className="flex flex-wrap items-center gap-1.5">
        {step.from.length === 0 ? <li className="text-ink-3 text-sm">{words.fromNothing}</li> : null}
        {step.from.map((id) => (
          <li key={id} className="flex items-center rounded-md border border-line bg-sunken pl-2 text-sm">
            <button type="button" className="hover:underline" onClick={() => flow.byKey.has(id) && select([id])}>
              {id}
            </button>
            <IconButton
              icon={X}
              label={words.fromRemove(id)}
              size="sm"
              onClick={() => change((document) => disconnect(document, id, step.key))}
            />
          </li>
        ))}
        {others.length === 0 ? null : (
          <li>
            <Menu
              align="start"
              trigger={
                <Button size="sm" variant="ghost" icon={Plus}>
                  {words.fromAdd}
                </Button>
              }
              actions={others.map((other) => ({
                label: other.key,
                onSelect: () => void change((document) => connect(document, other.key, step.key)),
              }))}
            />
          </li>
        )}
      </ul>
      {step.from.length === 1 && flow.version > 1 ? (
        <Checkbox
          label={words.gathers}
          hint={words.gathersHint}
          checked={step.gathers}
          onCheckedChange={(checked) => change((document) => setGathers(document, step.key, checked))}
        />
      ) : null}
      {problem === undefined ? null : <p className="text-bad text-xs">{problem}</p>}
    </div>
  );
}

const NONE = "";

function Binding({ step, facts, wrong }: PartProps) {
  const { change } = useEditorStore().getState();
  const row = step.kind && KIND_ROWS[step.kind];
  if (!row) return null;
  const fitting = facts.capabilities.filter((capability) =>
    (row.accepts as readonly string[]).includes(capability.kind),
  );
  const bound = step.capabilityId ?? NONE;
  const isGone = bound !== NONE && fitting.every((capability) => capability.id !== bound);
  const options = [
    { value: NONE, label: row.needsCapability ? words.capabilityNone : words.capabilityPreset },
    ...(isGone ? [{ value: bound, label: words.capabilityGone(bound), disabled: true }] : []),
    ...fitting.map((capability) => ({
      value: capability.id,
      label: capability.name,
      detail: `${capability.id} · ${text.capabilityKinds[capability.kind]}${capability.status === "unavailable" ? " · unavailable" : ""}`,
    })),
  ];
  const missing = fitting.length === 0 && row.needsCapability;
  const hint = missing ? (
    <>
      {words.capabilityMissing} <Link to="/capabilities">{words.capabilityAdd}</Link>
    </>
  ) : step.kind === "agent.task" && bound === NONE && !ROLE_IDS.includes(step.id) ? (
    words.capabilityPresetHint(ROLE_IDS)
  ) : undefined;
  return (
    <Select
      label={words.capability}
      options={options}
      value={bound}
      hint={hint}
      error={wrong("params", "capability_id") ?? wrong("params", "capability_fingerprint")}
      onValueChange={(id) => {
        const capability = fitting.find((one) => one.id === id) ?? null;
        change((document) => bind(document, step.key, capability));
      }}
    />
  );
}

function Effects({ step, facts }: { step: Step; facts: Facts }) {
  const does = facts.steps.get(step.key)?.effects;
  return (
    <div className="flex flex-col gap-1">
      <span className="font-medium text-ink-2 text-xs">{words.effects}</span>
      <div className="flex flex-wrap gap-1">
        {does === undefined || does.length === 0 ? (
          <span className="text-ink-3 text-sm">
            {step.kind === "flow.task" ? words.effectsOfFlow : words.effectsUnknown}
          </span>
        ) : (
          said(step.kind, does).map(({ effect, label, warns }) => (
            <Badge key={effect} tone={warns ? "wait" : "idle"} title={effect}>
              {label}
            </Badge>
          ))
        )}
      </div>
      <span className="text-ink-3 text-xs">
        {step.kind === "artifact.task"
          ? words.effectsOfPublisher
          : step.kind === "human.task"
            ? words.effectsOfPerson
            : words.effectsHint}
      </span>
    </div>
  );
}

/** Members that have no field above. */
const SHOWN = ["id", "type", "from", "prompt", "session_group", "params", ...GRAPH_FIELDS];

function Others({ step }: { step: Step }) {
  const names = Object.keys(step.members).filter((name) => !SHOWN.includes(name));
  if (names.length === 0) return null;
  return (
    <p className="border-line border-t pt-3 text-ink-3 text-xs">
      {words.other}: <span className="font-mono">{names.join(", ")}</span>. {words.otherHint}
    </p>
  );
}

/** Flows that a step can run: those that are saved under a portable id, but for the one it is in. */
export function useCallable(own: string) {
  const saved = useQuery(savedFlows()).data ?? [];
  return saved.flatMap(({ name, flow }) => {
    const id = textOf(flow.id);
    return id === undefined || id === own ? [] : [{ id, name, inputs: isRecord(flow.inputs) ? flow.inputs : {} }];
  });
}
