// The form of a Run, made from the flow's typed inputs. What is typed belongs to the page, so that it survives closing
// the form and changes of the flow that leave an input what it was.

import { flows as text } from "~/text/en/flows";
import { Checkbox } from "~/ui/Choice";
import { TextArea, TextField } from "~/ui/Field";
import { Select } from "~/ui/Select";
import { type Drafts, draftOf, type Filled, type Input } from "./inputs";

const words = text.run;

interface RunFormProps {
  inputs: readonly Input[];
  drafts: Drafts;
  onDraft: (name: string, draft: string | boolean) => void;
  filled: Filled;
  /** What is wrong is said once something was sent, or about fields that were typed in. */
  tried: boolean;
}

export function RunForm({ inputs, drafts, onDraft, filled, tried }: RunFormProps) {
  if (inputs.length === 0) return <p className="text-ink-2 text-sm">{words.noInputs}</p>;
  return (
    <div className="flex flex-col gap-3">
      {inputs.map((input) => {
        const problem = filled.problems[input.name];
        const isShown =
          problem !== undefined && (tried || (drafts[input.name] !== undefined && problem.code !== "required"));
        return (
          <InputControl
            key={input.name}
            input={input}
            draft={drafts[input.name] ?? draftOf(input)}
            onDraft={(draft) => onDraft(input.name, draft)}
            error={isShown ? say(problem) : undefined}
          />
        );
      })}
    </div>
  );
}

function say({ code, detail }: { code: keyof typeof words.problems; detail?: string }): string {
  return detail === undefined ? words.problems[code] : `${words.problems[code]}: ${detail}`;
}

interface ControlProps {
  input: Input;
  draft: string | boolean;
  onDraft: (draft: string | boolean) => void;
  error: string | undefined;
}

const LONG = 60;

function InputControl({ input, draft, onDraft, error }: ControlProps) {
  const { label, description, required, type, fallback } = input;
  const field = { label, required, error, ...(description === "" ? {} : { hint: description }) };
  if (type === "boolean" && (required || fallback !== undefined))
    return <Checkbox label={label} hint={description} checked={draft === true} onCheckedChange={onDraft} />;
  if (type === "boolean")
    return (
      <Select
        {...field}
        options={[
          { value: "", label: words.unset },
          { value: "true", label: "Yes" },
          { value: "false", label: "No" },
        ]}
        value={typeof draft === "string" ? draft : ""}
        onValueChange={onDraft}
      />
    );
  const shown = String(draft);
  if (type === "object" || type === "array")
    return <TextArea {...field} mono rows={5} value={shown} onValueChange={onDraft} />;
  if (type === "string" && (shown.length > LONG || shown.includes("\n") || String(fallback ?? "").length > LONG))
    return <TextArea {...field} rows={3} value={shown} onValueChange={onDraft} />;
  return (
    <TextField
      {...field}
      value={shown}
      onValueChange={onDraft}
      inputMode={type === "string" ? "text" : type === "integer" ? "numeric" : "decimal"}
    />
  );
}
