// A moment and a span, as text that keeps itself up to date. The exact time is in the title.

import { useSyncExternalStore } from "react";
import { duration, exact, relative } from "./time";

/** All shown times share one clock. */
const TICK_MS = 1_000;

let now = Date.now();
let timer: ReturnType<typeof setInterval> | null = null;
const watchers = new Set<() => void>();

function watch(changed: () => void): () => void {
  watchers.add(changed);
  if (timer === null) now = Date.now();
  timer ??= setInterval(() => {
    now = Date.now();
    for (const watcher of watchers) watcher();
  }, TICK_MS);
  return () => {
    watchers.delete(changed);
    if (watchers.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
}

/** `3 min ago`. */
export function Time({ at, className }: { at: string; className?: string }) {
  // Only what changed is drawn again: the text, not the clock, is what is watched.
  const shown = useSyncExternalStore(watch, () => relative(at, now));
  return (
    <time dateTime={at} title={exact(at)} className={className ?? "whitespace-nowrap"}>
      {shown}
    </time>
  );
}

/** From one moment to another, or to now while it lasts. */
export function Duration({ from, to, className }: { from: string; to: string | null; className?: string }) {
  const start = Date.parse(from);
  const shown = useSyncExternalStore(watch, () =>
    duration((to === null ? Math.max(now, start) : Date.parse(to)) - start),
  );
  return <span className={className ?? "whitespace-nowrap"}>{shown}</span>;
}
