// A key to press, or several one after the other.

import { common as text } from "~/text/en/common";

const SHOWN: Readonly<Record<string, string>> = {
  ArrowLeft: "←",
  ArrowRight: "→",
  ArrowUp: "↑",
  ArrowDown: "↓",
  " ": "Space",
  Escape: "Esc",
};

export function Kbd({ keys }: { keys: string }) {
  const parts = keys === " " ? [" "] : keys.split(" ");
  return (
    <span className="inline-flex items-center gap-1 whitespace-nowrap">
      {parts.map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the same key may be pressed twice
        <span key={at} className="inline-flex items-center gap-1">
          {at === 0 ? null : <span className="text-ink-3 text-xs">{text.shortcuts.between}</span>}
          <kbd className="inline-flex h-5 min-w-5 items-center justify-center rounded-sm border border-line-strong bg-sunken px-1 font-sans text-ink-2 text-xs">
            {SHOWN[part] ?? part}
          </kbd>
        </span>
      ))}
    </span>
  );
}
