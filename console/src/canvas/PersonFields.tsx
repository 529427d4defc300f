// What a person is asked: which answers there are, what is filled in with them, how long it waits.

import { Plus, Trash2 } from "lucide-react";
import { flows as text } from "~/text/en/flows";
import { Button, IconButton } from "~/ui/Button";
import { TextField } from "~/ui/Field";
import { Select } from "~/ui/Select";
import { isRecord, textOf } from "./document";
import { DraftField, NumberField } from "./fields";
import type { PartProps } from "./StepPanel";

const words = text.step;
const OPTIONS_MAX = 16;
const YEAR = 31_536_000;
const DEFAULTS = ["approve", "reject"];
const NONE = "";

export function PersonFields({ step, set, wrong }: PartProps) {
  const params = isRecord(step.members.params) ? step.members.params : {};
  const options = Array.isArray(params.options) ? params.options.filter(isRecord) : [];
  const ids = options.length > 0 ? options.map((option) => textOf(option.id) ?? "") : DEFAULTS;
  const write = (next: readonly Record<string, unknown>[]) =>
    set(["params", "options"], next.length > 0 ? next : undefined);
  const change = (index: number, members: Record<string, unknown>) =>
    write(options.map((option, place) => (place === index ? { ...option, ...members } : option)));
  const free = () => {
    for (let number = options.length + 1; ; number += 1)
      if (!ids.includes(`answer-${number}`)) return `answer-${number}`;
  };
  return (
    <>
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1 font-medium text-ink-2 text-xs">{words.options}</legend>
        {options.map((option, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an answer's id is being typed here
          <div key={index} className="flex items-end gap-2">
            <TextField
              label={words.optionId}
              className="flex-1"
              value={textOf(option.id) ?? ""}
              error={wrong("params", "options", String(index), "id")}
              onValueChange={(id) => change(index, { id })}
            />
            <TextField
              label={words.optionLabel}
              className="flex-1"
              value={textOf(option.label) ?? ""}
              error={wrong("params", "options", String(index), "label")}
              onValueChange={(label) => change(index, { label: label === "" ? null : label })}
            />
            <IconButton
              icon={Trash2}
              label={words.optionRemove(textOf(option.id) ?? "")}
              onClick={() => write(options.filter((_, place) => place !== index))}
            />
          </div>
        ))}
        <div className="flex items-center gap-2">
          <Button
            size="sm"
            icon={Plus}
            disabled={options.length >= OPTIONS_MAX}
            onClick={() => write([...options, { id: free() }])}
          >
            {words.optionAdd}
          </Button>
          {options.length === 0 ? <span className="text-ink-3 text-xs">{words.optionsHint}</span> : null}
        </div>
      </fieldset>
      <DraftField
        label={words.form}
        hint={words.formHint}
        rows={5}
        mono
        value={isRecord(params.form) ? JSON.stringify(params.form, null, 2) : ""}
        error={wrong("params", "form")}
        read={readObject}
        onTake={(form) => set(["params", "form"], form)}
      />
      <div className="grid grid-cols-2 gap-3">
        <NumberField
          label={words.expires}
          value={params.expires_seconds}
          min={1}
          max={YEAR}
          problem={words.notInteger}
          error={wrong("params", "expires_seconds")}
          onTake={(seconds) => set(["params", "expires_seconds"], seconds)}
        />
        {params.expires_seconds === undefined && params.on_expiry === undefined ? null : (
          <Select
            label={words.onExpiry}
            options={[{ value: NONE, label: words.onExpiryNone }, ...ids.map((id) => ({ value: id, label: id }))]}
            value={textOf(params.on_expiry) ?? NONE}
            error={wrong("params", "on_expiry")}
            onValueChange={(id) => set(["params", "on_expiry"], id === NONE ? undefined : id)}
          />
        )}
      </div>
    </>
  );
}

function readObject(draft: string) {
  if (draft.trim() === "") return { value: undefined };
  try {
    const value: unknown = JSON.parse(draft);
    return isRecord(value) ? { value } : { problem: words.notJson };
  } catch {
    return { problem: words.notJson };
  }
}
