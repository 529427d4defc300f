// Views of one thing, of which one is shown. Pages keep the chosen one in the address.

import { Tabs as Base } from "@base-ui/react/tabs";
import type { ReactNode } from "react";
import { cx } from "./cx";

export interface Tab<V extends string> {
  value: V;
  label: ReactNode;
  /** How many things are behind it. */
  count?: number;
  content: ReactNode;
}

interface TabsProps<V extends string> {
  label: string;
  tabs: readonly Tab<V>[];
  value: V;
  onValueChange: (value: V) => void;
  className?: string;
  /** The shown content fills the height that is left. */
  fill?: boolean;
}

export function Tabs<V extends string>({ label, tabs, value, onValueChange, className, fill = false }: TabsProps<V>) {
  return (
    <Base.Root
      value={value}
      onValueChange={(next) => onValueChange(next as V)}
      className={cx("flex min-w-0 flex-col", fill && "min-h-0 flex-1", className)}
    >
      <Base.List aria-label={label} className="relative flex shrink-0 gap-1 overflow-x-auto border-line border-b px-2">
        {tabs.map((tab) => (
          <Base.Tab
            key={tab.value}
            value={tab.value}
            className="-mb-px h-9 shrink-0 border-transparent border-b-2 px-2 font-medium text-ink-2 text-sm outline-offset-[-2px] hover:text-ink data-[active]:border-accent data-[active]:text-ink"
          >
            {tab.label}
            {tab.count === undefined ? null : <span className="ml-1.5 text-ink-3 text-xs">{tab.count}</span>}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map((tab) => (
        <Base.Panel
          key={tab.value}
          value={tab.value}
          className={cx("min-w-0 outline-offset-[-2px]", fill && "min-h-0 flex-1 overflow-auto")}
        >
          {tab.content}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}
