// A box to tick, a switch, and a choice of one from a few that are all shown.

import { Checkbox as BaseCheckbox } from "@base-ui/react/checkbox";
import { Field as BaseField } from "@base-ui/react/field";
import { Radio } from "@base-ui/react/radio";
import { RadioGroup as BaseRadioGroup } from "@base-ui/react/radio-group";
import { Switch as BaseSwitch } from "@base-ui/react/switch";
import { Check } from "lucide-react";
import { type ReactNode, useId } from "react";
import { cx } from "./cx";

interface TickProps {
  label: ReactNode;
  hint?: ReactNode;
  checked: boolean;
  onCheckedChange: (checked: boolean) => void;
  disabled?: boolean;
}

export function Checkbox({ label, hint, checked, onCheckedChange, disabled = false }: TickProps) {
  return (
    <BaseField.Root className="flex items-start gap-2" disabled={disabled}>
      <BaseCheckbox.Root
        checked={checked}
        onCheckedChange={(next) => onCheckedChange(next)}
        className="mt-0.5 flex size-4 shrink-0 items-center justify-center rounded-sm border border-line-strong bg-surface data-[checked]:border-accent data-[checked]:bg-accent data-[disabled]:opacity-50"
      >
        <BaseCheckbox.Indicator>
          <Check aria-hidden className="size-3 text-on-accent" strokeWidth={3} />
        </BaseCheckbox.Indicator>
      </BaseCheckbox.Root>
      <span className="min-w-0">
        <BaseField.Label className="text-sm">{label}</BaseField.Label>
        {hint === undefined ? null : (
          <BaseField.Description className="text-ink-3 text-xs">{hint}</BaseField.Description>
        )}
      </span>
    </BaseField.Root>
  );
}

export function Switch({ label, hint, checked, onCheckedChange, disabled = false }: TickProps) {
  return (
    <BaseField.Root className="flex items-start gap-2.5" disabled={disabled}>
      <BaseSwitch.Root
        checked={checked}
        onCheckedChange={(next) => onCheckedChange(next)}
        className="mt-0.5 flex h-4 w-7 shrink-0 items-center rounded-full bg-line-strong px-0.5 transition-colors data-[checked]:bg-accent data-[disabled]:opacity-50"
      >
        <BaseSwitch.Thumb className="size-3 rounded-full bg-surface transition-transform data-[checked]:translate-x-3" />
      </BaseSwitch.Root>
      <span className="min-w-0">
        <BaseField.Label className="text-sm">{label}</BaseField.Label>
        {hint === undefined ? null : (
          <BaseField.Description className="text-ink-3 text-xs">{hint}</BaseField.Description>
        )}
      </span>
    </BaseField.Root>
  );
}

interface RadioGroupProps<V extends string> {
  label: string;
  options: readonly { value: V; label: string; hint?: string; disabled?: boolean }[];
  value: V;
  onValueChange: (value: V) => void;
  /** Side by side. */
  row?: boolean;
}

export function RadioGroup<V extends string>({
  label,
  options,
  value,
  onValueChange,
  row = false,
}: RadioGroupProps<V>) {
  const id = useId();
  return (
    <BaseField.Root>
      <div id={id} className="mb-1 font-medium text-ink-2 text-xs">
        {label}
      </div>
      <BaseRadioGroup
        aria-labelledby={id}
        value={value}
        onValueChange={(next) => onValueChange(next as V)}
        className={cx("flex gap-x-4 gap-y-1.5", row ? "flex-wrap" : "flex-col")}
      >
        {options.map((option) => (
          <BaseField.Item key={option.value} className="flex items-start gap-2" disabled={option.disabled ?? false}>
            <Radio.Root
              value={option.value}
              className="mt-0.5 flex size-4 shrink-0 items-center justify-center rounded-full border border-line-strong bg-surface data-[checked]:border-accent data-[disabled]:opacity-50"
            >
              <Radio.Indicator className="size-2 rounded-full bg-accent" />
            </Radio.Root>
            <span className="min-w-0">
              <BaseField.Label className="text-sm">{option.label}</BaseField.Label>
              {option.hint === undefined ? null : (
                <BaseField.Description className="text-ink-3 text-xs">{option.hint}</BaseField.Description>
              )}
            </span>
          </BaseField.Item>
        ))}
      </BaseRadioGroup>
    </BaseField.Root>
  );
}
