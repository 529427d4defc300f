// A new capability: a form for its kind. It can be checked, and tried, before it is saved.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useId, useMemo, useState } from "react";
import { agents, checkCapability, saveCapability } from "~/api/capabilities";
import { keys } from "~/api/keys";
import type { CapabilityKind } from "~/canvas/kinds";
import { capabilities as text } from "~/text/en/capabilities";
import { dispatch } from "~/text/en/dispatch";
import { effects as effectWords } from "~/text/en/effects";
import { Button } from "~/ui/Button";
import { Checkbox } from "~/ui/Choice";
import { Dialog } from "~/ui/Dialog";
import { ErrorNotice } from "~/ui/ErrorNotice";
import { TextArea, TextField } from "~/ui/Field";
import { Select } from "~/ui/Select";
import { toast } from "~/ui/Toast";
import { Probe } from "./CapabilityDetails";
import { type Draft, define, EFFECTS, emptyDraft, type FormField, KIND_FORMS, type ProblemCode } from "./definition";

const words = text.form;

interface AddCapabilityProps {
  kind: CapabilityKind;
  onClose: () => void;
  onSaved: (id: string) => void;
}

export function AddCapability({ kind, onClose, onSaved }: AddCapabilityProps) {
  const form = KIND_FORMS[kind];
  const id = useId();
  const client = useQueryClient();
  const [draft, setDraft] = useState<Draft>(() => emptyDraft(kind));
  const [tried, setTried] = useState(false);
  const { definition, problems } = useMemo(() => define(kind, draft), [kind, draft]);
  const said = (name: string) => (tried ? wordsOf(problems[name], form.timeout.max) : null);
  const isSound = Object.keys(problems).length === 0;

  const check = useMutation({ mutationFn: (probe: boolean) => checkCapability(definition, probe) });
  const save = useMutation({
    mutationFn: () => saveCapability(definition),
    onSuccess: (saved) => {
      toast.done(words.saved(saved.name));
      void client.invalidateQueries({ queryKey: keys.capabilities.all });
      onClose();
      onSaved(saved.id);
    },
  });
  const once = (run: () => void) => {
    setTried(true);
    check.reset();
    save.reset();
    if (isSound) run();
  };
  const set = (change: Partial<Draft>) => {
    check.reset();
    setDraft((held) => ({ ...held, ...change }));
  };
  const toggle = (effect: (typeof EFFECTS)[number], on: boolean) =>
    set({ effects: EFFECTS.filter((one) => (one === effect ? on : draft.effects.includes(one))) });

  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={words.title(text.kinds[kind] ?? kind)}
      description={text.kindHints[kind]}
      footer={
        <>
          <Button busy={check.isPending && !check.variables} onClick={() => once(() => check.mutate(false))}>
            {words.check}
          </Button>
          <Button busy={check.isPending && check.variables} onClick={() => once(() => check.mutate(true))}>
            {words.try}
          </Button>
          <Button type="submit" form={id} variant="primary" busy={save.isPending}>
            {words.save}
          </Button>
        </>
      }
    >
      <form
        id={id}
        noValidate
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          once(() => save.mutate());
        }}
      >
        {save.error === null ? null : <ErrorNotice title={words.failed} error={save.error} />}
        {check.error === null ? null : <ErrorNotice title={words.invalid} error={check.error} />}
        {check.data === undefined ? null : (
          <div role="status" className="rounded-md bg-sunken p-3 text-sm">
            <p className="mb-1 font-medium">{words.valid}</p>
            {check.data.probe === undefined ? null : <Probe probe={check.data.probe} />}
          </div>
        )}
        <TextField
          label={words.name}
          required
          value={draft.name}
          onValueChange={(name) => set({ name })}
          error={said("name")}
        />
        {form.fields.map((field) => (
          <ConfigField
            key={field.name}
            field={field}
            value={draft.config[field.name]}
            onChange={(value) => set({ config: { ...draft.config, [field.name]: value } })}
            error={said(field.name)}
          />
        ))}
        <fieldset>
          <legend className="font-medium text-ink-2 text-xs">{words.effects}</legend>
          <p className="mb-1.5 text-ink-3 text-xs">
            {form.effectsAreFixed === true ? words.effectsFixed : words.effectsHint}
          </p>
          <div className="grid grid-cols-1 gap-1 sm:grid-cols-2">
            {EFFECTS.map((effect) => (
              <Checkbox
                key={effect}
                label={effectWords.labels[effect] ?? effect}
                checked={draft.effects.includes(effect)}
                disabled={form.effectsAreFixed === true}
                onCheckedChange={(on) => toggle(effect, on)}
              />
            ))}
          </div>
          {said("effects") === null ? null : <p className="mt-1 text-bad text-xs">{said("effects")}</p>}
        </fieldset>
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label={words.timeout}
            hint={words.timeoutHint(form.timeout.max, form.timeout.usual)}
            inputMode="numeric"
            value={draft.timeout}
            onValueChange={(timeout) => set({ timeout })}
            error={said("timeout")}
          />
          <TextField
            label={words.id}
            hint={words.idHint}
            value={draft.id}
            onValueChange={(next) => set({ id: next })}
            error={said("id")}
          />
        </div>
        <TextArea
          label={words.description}
          value={draft.description}
          onValueChange={(description) => set({ description })}
          rows={2}
        />
      </form>
    </Dialog>
  );
}

function wordsOf(problem: ProblemCode | undefined, longest: number): string | null {
  switch (problem) {
    case undefined:
      return null;
    case "required":
      return words.required;
    case "json":
      return words.json;
    case "name":
      return words.nameError;
    case "id":
      return words.idError;
    case "timeout":
      return words.timeoutError(longest);
    case "effects":
      return words.effectsError;
    case "evaluator":
      return words.evaluatorError;
  }
}

interface ConfigFieldProps {
  field: FormField;
  value: string | readonly string[] | undefined;
  onChange: (value: string | readonly string[]) => void;
  error: string | null;
}

function ConfigField({ field, value, onChange, error }: ConfigFieldProps) {
  const known = useQuery({ ...agents(), enabled: field.type === "agent" }).data;
  const { label = field.name, hint } = words.fields[field.name] ?? {};
  const text = typeof value === "string" ? value : "";
  const common = { label, error, required: field.required === true, ...(hint ? { hint } : {}) };
  switch (field.type) {
    case "text":
      return <TextField {...common} value={text} onValueChange={onChange} />;
    case "lines":
    case "json":
      return <TextArea {...common} mono rows={2} value={text} onValueChange={onChange} />;
    case "choice":
      return (
        <Select
          {...common}
          options={(field.options ?? []).map((option) => ({ value: option, label: words.choices[option] ?? option }))}
          value={text}
          onValueChange={onChange}
        />
      );
    case "agent":
      return (
        <Select
          {...common}
          options={(known?.items ?? []).map(({ agent }) => ({ value: agent, label: agent }))}
          value={text === "" ? null : text}
          placeholder={dispatch.agentPlaceholder}
          onValueChange={onChange}
        />
      );
    case "allow": {
      const allowed = Array.isArray(value) ? (value as readonly string[]) : [];
      return (
        <fieldset>
          <legend className="font-medium text-ink-2 text-xs">{label}</legend>
          <p className="mb-1.5 text-ink-3 text-xs">{hint}</p>
          <div className="grid grid-cols-2 gap-1 sm:grid-cols-3">
            {Object.entries(dispatch.kinds).map(([kind, word]) => (
              <Checkbox
                key={kind}
                label={word}
                checked={allowed.includes(kind)}
                onCheckedChange={(on) => onChange(on ? [...allowed, kind] : allowed.filter((one) => one !== kind))}
              />
            ))}
          </div>
        </fieldset>
      );
    }
  }
}
