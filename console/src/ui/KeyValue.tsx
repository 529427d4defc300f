// Facts, each with its name.

import type { ReactNode } from "react";
import { cx } from "./cx";

export type Fact = readonly [name: string, value: ReactNode];

/** Facts whose value is `null` or `undefined` are left out. */
export function KeyValue({ facts, className }: { facts: readonly Fact[]; className?: string }) {
  const known = facts.filter(([, value]) => value !== null && value !== undefined);
  return (
    <dl className={cx("grid grid-cols-[minmax(6rem,auto)_minmax(0,1fr)] gap-x-4 gap-y-1.5 text-sm", className)}>
      {known.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-ink-3">{name}</dt>
          <dd className="min-w-0 break-words">{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** An identifier or a hash: whole in the title, so that a narrow place may cut it. */
export function Mono({ children, cut = false }: { children: string; cut?: boolean }) {
  return (
    <code title={cut ? children : undefined} className={cx("font-mono text-xs", cut && "block truncate")}>
      {children}
    </code>
  );
}
