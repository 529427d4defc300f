// One declared input.

import { Trash2 } from "lucide-react";
import { flows as text } from "~/text/en/flows";
import { IconButton } from "~/ui/Button";
import { Checkbox } from "~/ui/Choice";
import { TextField } from "~/ui/Field";
import { Select } from "~/ui/Select";
import { isRecord } from "./document";
import { useEditor, useEditorStore, viewOf } from "./editor";
import { DraftField, type Taken } from "./fields";
import { draftOf, fill, INPUT_NAME, INPUT_TYPES, type Input, RESERVED, readInputs } from "./inputs";
import { renameInput } from "./operations";

const words = text.flow;

interface InputProps {
  name: string;
  set: (path: readonly [string, ...string[]], value: unknown) => void;
  wrong: (...path: string[]) => string | undefined;
}

export function InputFields({ name, set, wrong }: InputProps) {
  const { inputs } = useEditor(viewOf);
  const { change } = useEditorStore().getState();
  const declared = inputs[name];
  const members = isRecord(declared) ? declared : {};
  const [input] = readInputs({ [name]: declared });
  if (input === undefined) return null;
  const field = (member: string, value: unknown) => set(["inputs", name, member], value);
  const readName = (draft: string): Taken<string> => {
    if (!INPUT_NAME.test(draft)) return { problem: words.inputNameProblem };
    if (RESERVED.includes(draft)) return { problem: words.inputNameReserved };
    if (draft !== name && Object.hasOwn(inputs, draft)) return { problem: text.refusals.name_taken };
    return { value: draft };
  };
  return (
    <fieldset className="flex flex-col gap-2 rounded-md border border-line p-2.5">
      <legend className="sr-only">{words.input(name)}</legend>
      <div className="grid grid-cols-[1fr_8rem_auto] items-start gap-2">
        <DraftField
          label={words.inputName}
          value={name}
          late
          read={readName}
          error={wrong("inputs", name)}
          onTake={(next) => void change((document) => renameInput(document, name, next))}
        />
        <Select
          label={words.inputType}
          options={INPUT_TYPES.map((type) => ({ value: type, label: words.types[type] }))}
          value={input.type}
          onValueChange={(type) => set(["inputs", name], { ...members, type, default: undefined })}
        />
        <IconButton
          icon={Trash2}
          label={words.inputRemove(name)}
          className="mt-5"
          onClick={() => set(["inputs", name], undefined)}
        />
      </div>
      <TextField
        label={words.inputDescription}
        value={input.description}
        onValueChange={(value) => field("description", value === "" ? undefined : value)}
      />
      <DraftField
        label={words.inputDefault}
        value={input.fallback === undefined ? "" : String(draftOf(input))}
        mono={input.type === "object" || input.type === "array"}
        {...(input.type === "object" || input.type === "array" ? { rows: 2 } : {})}
        error={wrong("inputs", name, "default")}
        read={(draft) => readDefault(input, draft)}
        onTake={(value) => field("default", value)}
      />
      <Checkbox
        label={words.inputRequired}
        checked={input.required}
        onCheckedChange={(checked) => field("required", checked ? true : undefined)}
      />
    </fieldset>
  );
}

/** A default is read as a value of the run's form would be. */
function readDefault(input: Input, draft: string): Taken<unknown> {
  const { values, problems } = fill([{ ...input, required: false, fallback: undefined }], { [input.name]: draft });
  const problem = problems[input.name];
  if (problem) return { problem: text.run.problems[problem.code] };
  const json = values[input.name];
  return { value: json === undefined ? undefined : (JSON.parse(json) as unknown) };
}
