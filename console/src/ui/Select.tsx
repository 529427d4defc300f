// A choice of one from a list.

import { Select as Base } from "@base-ui/react/select";
import { Check, ChevronsUpDown } from "lucide-react";
import type { ReactNode } from "react";
import { cx } from "./cx";
import { CONTROL, Field, type FieldProps } from "./Field";
import { POPUP } from "./popup";

export interface Option<V extends string> {
  value: V;
  label: string;
  /** A second line. */
  detail?: string;
  disabled?: boolean;
}

interface SelectProps<V extends string> extends FieldProps {
  options: readonly Option<V>[];
  value: V | null;
  onValueChange: (value: V) => void;
  placeholder?: string;
  disabled?: boolean;
  /** What stands before the value. */
  before?: ReactNode;
}

export function Select<V extends string>({
  options,
  value,
  onValueChange,
  placeholder,
  disabled,
  before,
  ...field
}: SelectProps<V>) {
  const items = options.map(({ value, label }) => ({ value, label }));
  return (
    <Field {...field}>
      <Base.Root
        items={items}
        value={value}
        onValueChange={(next) => {
          if (next !== null) onValueChange(next as V);
        }}
        disabled={disabled ?? false}
      >
        <Base.Trigger className={cx(CONTROL, "flex h-8 items-center gap-2 text-left")}>
          {before}
          <Base.Value className="min-w-0 flex-1 truncate" placeholder={placeholder} />
          <Base.Icon>
            <ChevronsUpDown aria-hidden className="size-3.5 text-ink-3" />
          </Base.Icon>
        </Base.Trigger>
        <Base.Portal>
          <Base.Positioner sideOffset={4} alignItemWithTrigger={false} className="z-50">
            <Base.Popup className={cx(POPUP, "max-h-80 min-w-[var(--anchor-width)] overflow-y-auto p-1")}>
              {options.map((option) => (
                <Base.Item
                  key={option.value}
                  value={option.value}
                  disabled={option.disabled ?? false}
                  className="flex cursor-default items-start gap-2 rounded-sm px-2 py-1.5 text-sm outline-none data-[disabled]:opacity-50 data-[highlighted]:bg-hover"
                >
                  <span className="mt-0.5 size-3.5 shrink-0">
                    <Base.ItemIndicator>
                      <Check aria-hidden className="size-3.5 text-accent" />
                    </Base.ItemIndicator>
                  </span>
                  <span className="min-w-0">
                    <Base.ItemText>{option.label}</Base.ItemText>
                    {option.detail === undefined ? null : (
                      <span className="block text-ink-3 text-xs">{option.detail}</span>
                    )}
                  </span>
                </Base.Item>
              ))}
            </Base.Popup>
          </Base.Positioner>
        </Base.Portal>
      </Base.Root>
    </Field>
  );
}
