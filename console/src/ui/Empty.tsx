// What stands where nothing is: that nothing is there, why, and what to do next.

import type { LucideIcon } from "lucide-react";
import type { ReactNode } from "react";

interface EmptyProps {
  icon: LucideIcon;
  title: string;
  children?: ReactNode;
  /** What to do next. */
  action?: ReactNode;
}

export function Empty({ icon: Icon, title, children, action }: EmptyProps) {
  return (
    <div className="mx-auto flex max-w-md flex-col items-center px-6 py-12 text-center">
      <span className="mb-3 flex size-10 items-center justify-center rounded-lg bg-sunken text-ink-3">
        <Icon aria-hidden className="size-5" />
      </span>
      <p className="font-semibold text-base">{title}</p>
      {children === undefined ? null : <div className="mt-1 text-ink-2 text-sm">{children}</div>}
      {action === undefined ? null : <div className="mt-4 flex flex-wrap justify-center gap-2">{action}</div>}
    </div>
  );
}
