// Actions behind a button.

import { Menu as Base } from "@base-ui/react/menu";
import type { LucideIcon } from "lucide-react";
import type { ReactElement } from "react";
import { cx } from "./cx";
import { POPUP } from "./popup";

export interface MenuAction {
  label: string;
  icon?: LucideIcon;
  onSelect: () => void;
  danger?: boolean;
  disabled?: boolean;
  /** A line above it. */
  separated?: boolean;
}

interface MenuProps {
  /** The button; it must have a name. */
  trigger: ReactElement;
  actions: readonly MenuAction[];
  align?: "start" | "end";
}

export function Menu({ trigger, actions, align = "end" }: MenuProps) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align={align} className="z-50">
          <Base.Popup className={cx(POPUP, "min-w-44 p-1")}>
            {actions.map(({ label, icon: Icon, onSelect, danger, disabled, separated }) => (
              <div key={label}>
                {separated === true ? <Base.Separator className="my-1 h-px bg-line" /> : null}
                <Base.Item
                  disabled={disabled ?? false}
                  onClick={onSelect}
                  className={cx(
                    "flex cursor-default items-center gap-2 rounded-sm px-2 py-1.5 text-sm outline-none data-[disabled]:opacity-50",
                    danger === true ? "text-bad data-[highlighted]:bg-bad-soft" : "data-[highlighted]:bg-hover",
                  )}
                >
                  {Icon === undefined ? null : <Icon aria-hidden className="size-3.5" />}
                  {label}
                </Base.Item>
              </div>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
