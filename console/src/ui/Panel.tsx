// A part of a page with a heading of its own.

import { type ReactNode, useId } from "react";
import { cx } from "./cx";

interface PanelProps {
  title: string;
  /** Read aloud only. */
  hideTitle?: boolean;
  count?: number;
  actions?: ReactNode;
  children: ReactNode;
  className?: string;
  /** Without space around the content: for tables. */
  flush?: boolean;
}

export function Panel({ title, hideTitle = false, count, actions, children, className, flush = false }: PanelProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={cx("min-w-0 rounded-lg border border-line bg-surface", className)}>
      <header className={cx("flex min-h-10 items-center gap-2 border-line border-b px-3 py-1", hideTitle && "sr-only")}>
        <h2 id={id} className="min-w-0 flex-1 truncate font-semibold text-sm">
          {title}
          {count === undefined ? null : <span className="ml-1.5 font-normal text-ink-3">{count}</span>}
        </h2>
        {actions}
      </header>
      <div className={cx(!flush && "p-3")}>{children}</div>
    </section>
  );
}
