// One field of a form: its label, what it is for, its control, and what is wrong with it. The control is found by its
// label, and what is wrong is read aloud with it.

import { Field as Base } from "@base-ui/react/field";
import type { InputHTMLAttributes, ReactNode, Ref, TextareaHTMLAttributes } from "react";
import { common as text } from "~/text/en/common";
import { cx } from "./cx";

export interface FieldProps {
  label: string;
  /** What is expected, below the control. */
  hint?: ReactNode;
  /** What is wrong; the field is invalid as long as it is given. */
  error?: string | null | undefined;
  required?: boolean;
  /** The label is only read aloud. */
  hideLabel?: boolean;
  className?: string;
}

export const CONTROL = cx(
  "w-full rounded-md border border-line-strong bg-surface px-2.5 text-ink text-sm placeholder:text-ink-3",
  "hover:border-ink-3 disabled:opacity-50 data-[invalid]:border-bad aria-[invalid=true]:border-bad",
);

/** A field around any control of Base UI. */
export function Field({
  label,
  hint,
  error,
  required,
  hideLabel,
  className,
  children,
}: FieldProps & { children: ReactNode }) {
  const wrong = typeof error === "string" && error !== "";
  return (
    <Base.Root invalid={wrong} className={cx("flex min-w-0 flex-col gap-1", className)}>
      <Base.Label className={cx("font-medium text-ink-2 text-xs", hideLabel === true && "sr-only")}>
        {label}
        {required === true ? <span className="ml-1 font-normal text-ink-3">{text.required}</span> : null}
      </Base.Label>
      {children}
      {hint === undefined ? null : <Base.Description className="text-ink-3 text-xs">{hint}</Base.Description>}
      {wrong ? (
        <Base.Error match className="text-bad text-xs">
          {error}
        </Base.Error>
      ) : null}
    </Base.Root>
  );
}

type InputProps = Omit<InputHTMLAttributes<HTMLInputElement>, "value" | "defaultValue" | "onChange" | "className"> & {
  value: string;
  onValueChange: (value: string) => void;
  ref?: Ref<HTMLInputElement>;
};

/** A field of one line. */
export function TextField({
  label,
  hint,
  error,
  required,
  hideLabel,
  className,
  value,
  onValueChange,
  ...rest
}: FieldProps & InputProps) {
  const field = { label, hint, error, required, hideLabel, className };
  return (
    <Field {...field}>
      <Base.Control
        className={cx(CONTROL, "h-8")}
        value={value}
        onValueChange={(next) => onValueChange(String(next))}
        aria-required={required || undefined}
        spellCheck={false}
        {...rest}
      />
    </Field>
  );
}

type AreaProps = Omit<
  TextareaHTMLAttributes<HTMLTextAreaElement>,
  "value" | "defaultValue" | "onChange" | "className"
> & {
  value: string;
  onValueChange: (value: string) => void;
  /** For documents and code. */
  mono?: boolean;
};

/** A field of several lines. */
export function TextArea({
  label,
  hint,
  error,
  required,
  hideLabel,
  className,
  value,
  onValueChange,
  mono = false,
  rows = 4,
  ...rest
}: FieldProps & AreaProps) {
  const field = { label, hint, error, required, hideLabel, className };
  return (
    <Field {...field}>
      <Base.Control
        value={value}
        onValueChange={(next) => onValueChange(String(next))}
        aria-required={required || undefined}
        render={<textarea rows={rows} {...rest} />}
        className={cx(CONTROL, "min-h-16 resize-y py-1.5", mono && "font-mono text-xs leading-5")}
      />
    </Field>
  );
}
