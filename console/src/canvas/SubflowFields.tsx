// Which flow a step runs, and what that flow is given.

import { flows as text } from "~/text/en/flows";
import { TextField } from "~/ui/Field";
import { Select } from "~/ui/Select";
import { isRecord, textOf } from "./document";
import { useEditor, viewOf } from "./editor";
import { readInputs } from "./inputs";
import { type PartProps, useCallable } from "./StepPanel";

const words = text.step;

export function SubflowFields({ step, set, wrong }: PartProps) {
  const flow = useEditor(viewOf);
  const callable = useCallable(flow.id);
  const params = isRecord(step.members.params) ? step.members.params : {};
  const chosen = textOf(params.flow_id) || null;
  const callee = callable.find((one) => one.id === chosen);
  const given = isRecord(params.inputs) ? params.inputs : {};
  const options = callable.map(({ id, name }) => ({ value: id, label: name, detail: id }));
  if (chosen !== null && callee === undefined)
    options.unshift({ value: chosen, label: words.capabilityGone(chosen), detail: "" });
  const asked = readInputs(callee?.inputs ?? {});
  return (
    <>
      <Select
        label={words.subflow}
        options={options}
        value={chosen}
        placeholder={words.subflowNone}
        error={wrong("params", "flow_id") ?? wrong("params", "flow_hash")}
        onValueChange={(id) => {
          // The pin belongs to the flow before; saving writes the new one.
          set(["params"], { ...params, flow_id: id, flow_hash: undefined, inputs: undefined });
        }}
      />
      {asked.length === 0 ? null : (
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-1 font-medium text-ink-2 text-xs">{words.subflowInputs}</legend>
          {asked.map((input) => (
            <TextField
              key={input.name}
              label={input.name}
              required={input.required && input.fallback === undefined}
              hint={words.subflowInputHint}
              value={textOf(given[input.name]) ?? ""}
              error={wrong("params", "inputs", input.name)}
              onValueChange={(value) => set(["params", "inputs", input.name], value === "" ? undefined : value)}
            />
          ))}
          {wrong("params", "inputs") === undefined ? null : (
            <p className="text-bad text-xs">{wrong("params", "inputs")}</p>
          )}
        </fieldset>
      )}
    </>
  );
}
