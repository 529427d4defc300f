// Fields of the panels. Text is taken as it is typed; what can be wrong on the way (numbers, ids, JSON) is held as a
// draft until it is right, and says what is wrong meanwhile.

import { useState } from "react";
import { type FieldProps, TextArea, TextField } from "~/ui/Field";

export type Taken<T> = { readonly value: T } | { readonly problem: string };

interface DraftProps<T> extends FieldProps {
  /** As the document has it. */
  value: string;
  read: (draft: string) => Taken<T>;
  onTake: (value: T) => void;
  disabled?: boolean;
  mono?: boolean;
  /** Several lines. */
  rows?: number;
  inputMode?: "numeric" | "text";
  placeholder?: string;
  /** Taken when the field is left, or Enter is pressed: for what others refer to. */
  late?: boolean;
}

export function DraftField<T>({ value, read, onTake, late = false, mono, rows, error, ...rest }: DraftProps<T>) {
  const [draft, setDraft] = useState<{ text: string; of: string } | null>(null);
  // A draft belongs to the value it was begun on; when that changes elsewhere, it is over.
  const shown = draft !== null && draft.of === value ? draft.text : value;
  const taken = read(shown);
  const problem = "problem" in taken && shown !== value ? taken.problem : undefined;
  const take = (text: string) => {
    const next = read(text);
    if ("value" in next && text !== value) onTake(next.value);
  };
  const type = (text: string) => {
    setDraft({ text, of: value });
    if (!late) take(text);
  };
  const shared = {
    ...rest,
    value: shown,
    error: problem ?? error,
    onValueChange: type,
    onBlur: () => {
      if (late) take(shown);
      if (problem === undefined) setDraft(null);
    },
  };
  if (rows !== undefined) return <TextArea {...shared} rows={rows} mono={mono ?? false} />;
  return (
    <TextField
      {...shared}
      onKeyDown={(event) => {
        if (late && event.key === "Enter") take(shown);
      }}
    />
  );
}

interface NumberProps extends FieldProps {
  value: unknown;
  min: number;
  max: number;
  /** `undefined`: emptied. */
  onTake: (value: number | undefined) => void;
  problem: (min: number, max: number) => string;
  placeholder?: string;
  disabled?: boolean;
}

export function NumberField({ value, min, max, onTake, problem, ...rest }: NumberProps) {
  return (
    <DraftField
      {...rest}
      value={value === undefined || value === null ? "" : String(value)}
      inputMode="numeric"
      onTake={onTake}
      read={(draft) => {
        if (draft.trim() === "") return { value: undefined };
        const number = Number(draft);
        return Number.isInteger(number) && number >= min && number <= max
          ? { value: number }
          : { problem: problem(min, max) };
      }}
    />
  );
}
