// What an agent did, as it does it: one entry below the other, only those in view drawn, following the end while the
// reader is there.

import { useVirtualizer } from "@tanstack/react-virtual";
import {
  Brain,
  FileText,
  ListTodo,
  type LucideIcon,
  MessageSquare,
  ShieldCheck,
  ShieldX,
  Terminal,
} from "lucide-react";
import { useEffect, useMemo, useRef } from "react";
import { task as text } from "~/text/en/task";
import { StateBadge, StateIcon, stateLabel } from "~/ui/Badge";
import { cx } from "~/ui/cx";
import { Empty } from "~/ui/Empty";
import { ErrorNotice } from "~/ui/ErrorNotice";
import { Mono } from "~/ui/KeyValue";
import { SkeletonLines } from "~/ui/Skeleton";
import { type Call, type Entry, feed } from "./feed";
import type { TaskEvents } from "./useTaskEvents";

const words = text.activity;
/** A guess; each entry is measured when it is drawn. */
const HEIGHT = 36;
/** This close to the end counts as being there. */
const AT_END = 48;

export function ActivityFeed({ log }: { log: TaskEvents }) {
  const entries = useMemo(() => feed(log.events), [log.events]);
  const around = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const rows = useVirtualizer({
    count: entries.length,
    getScrollElement: () => around.current,
    estimateSize: () => HEIGHT,
    getItemKey: (index) => entries[index]?.at ?? index,
    overscan: 10,
  });

  // Only what happens live moves the view: a task that has ended is read from its beginning.
  useEffect(() => {
    if (log.phase === "live" && follows.current && entries.length > 0) rows.scrollToIndex(entries.length - 1);
  }, [entries.length, log.phase, rows]);

  if (log.error !== null) {
    return (
      <div className="p-3">
        <ErrorNotice error={log.error} onRetry={log.retry} />
      </div>
    );
  }
  if (log.phase === "loading" && entries.length === 0) return <SkeletonLines lines={6} />;
  return (
    <div className="flex min-h-0 flex-col">
      <p role="status" className="border-line border-b px-3 py-1.5 text-ink-3 text-xs">
        {log.phase === "loading" ? words.loading : log.phase === "live" ? words.live : words.ended}
      </p>
      {entries.length === 0 ? (
        <Empty icon={MessageSquare} title={words.none} />
      ) : (
        <section
          ref={around}
          tabIndex={0}
          aria-label={words.label}
          onScroll={({ currentTarget: box }) => {
            follows.current = box.scrollHeight - box.scrollTop - box.clientHeight < AT_END;
          }}
          className="max-h-[65vh] min-h-0 overflow-auto outline-offset-[-2px]"
        >
          <ol className="relative" style={{ height: rows.getTotalSize() }}>
            {rows.getVirtualItems().map((item) => {
              const entry = entries[item.index];
              if (entry === undefined) return null;
              return (
                <li
                  key={item.key}
                  ref={rows.measureElement}
                  data-index={item.index}
                  aria-setsize={entries.length}
                  aria-posinset={item.index + 1}
                  className="absolute inset-x-0 top-0 border-line border-b px-3 py-1.5 text-sm"
                  style={{ transform: `translateY(${item.start}px)` }}
                >
                  <EntryLine entry={entry} isOver={log.phase === "ended"} />
                </li>
              );
            })}
          </ol>
        </section>
      )}
    </div>
  );
}

const VOICES: Readonly<Record<string, { icon: LucideIcon; label: string; look: string }>> = {
  says: { icon: MessageSquare, label: words.says, look: "text-ink" },
  thinks: { icon: Brain, label: words.thinks, look: "text-ink-2 italic" },
  stderr: { icon: Terminal, label: words.stderr, look: "font-mono text-xs text-ink-2" },
  late: { icon: FileText, label: words.late, look: "text-ink-2" },
};

function EntryLine({ entry, isOver }: { entry: Entry; isOver: boolean }) {
  switch (entry.kind) {
    case "text": {
      const voice = VOICES[entry.voice] ?? { icon: MessageSquare, label: entry.voice, look: "" };
      return (
        <Line icon={voice.icon} label={voice.label}>
          <p className={cx("whitespace-pre-wrap break-words", voice.look)}>{entry.text}</p>
        </Line>
      );
    }
    case "call":
      return <CallLine call={entry.call} isOver={isOver} />;
    case "plan":
      return (
        <Line icon={ListTodo} label={words.plan}>
          <ul className="flex flex-col gap-0.5">
            {entry.steps.map((step) => (
              <li key={step.content} className="flex items-center gap-2">
                <StateIcon state={shownState(PLAN_STATES, step.status, isOver)} className="size-3.5" />
                <span className={cx(step.status === "completed" && "text-ink-3")}>{step.content}</span>
                <span className="sr-only">{progress(PLAN_STATES, step.status, isOver)}</span>
              </li>
            ))}
          </ul>
        </Line>
      );
    case "state":
      // Only an end stays; what moved has moved on since.
      return FINAL.has(entry.to) ? (
        <StateBadge state={entry.to} />
      ) : (
        <span className="text-ink-3 text-xs">{stateLabel(entry.to)}</span>
      );
    case "life":
      return (
        <span className="flex items-center gap-2 text-ink-3 text-xs">
          {words.lifecycle[entry.type] ?? entry.type}
          {entry.detail === null ? null : <Mono cut>{entry.detail}</Mono>}
        </span>
      );
    case "request":
      return (
        <Line icon={ShieldX} label={words.request}>
          <Mono>{entry.method}</Mono>
        </Line>
      );
    case "error":
      return <p className="break-words rounded-md bg-bad-soft px-2 py-1 text-bad">{entry.message}</p>;
  }
}

const FINAL = new Set(["succeeded", "failed", "cancelled"]);

const PLAN_STATES: Readonly<Record<string, string>> = {
  pending: "pending",
  in_progress: "running",
  completed: "succeeded",
};

const CALL_STATES: Readonly<Record<string, string>> = {
  pending: "pending",
  in_progress: "running",
  completed: "succeeded",
  failed: "failed",
};

const UNFINISHED: ReadonlySet<string> = new Set(["pending", "in_progress"]);

/** Nothing moves any more once the task is over. */
function shownState(states: Readonly<Record<string, string>>, status: string, isOver: boolean): string {
  return isOver && UNFINISHED.has(status) ? "pending" : (states[status] ?? "pending");
}

function progress(states: Readonly<Record<string, string>>, status: string, isOver: boolean): string {
  return isOver && UNFINISHED.has(status) ? words.unfinished : stateLabel(states[status] ?? status);
}

function CallLine({ call, isOver }: { call: Call; isOver: boolean }) {
  const refused = call.decision !== null && call.decision !== "allowed";
  const Shield = refused ? ShieldX : ShieldCheck;
  return (
    <div className="flex min-w-0 items-start gap-2">
      <span className="mt-0.5">
        <StateIcon state={shownState(CALL_STATES, call.status, isOver)} />
      </span>
      <span className="w-16 shrink-0 text-ink-3 text-xs leading-5">{call.tool}</span>
      <span className="min-w-0 flex-1">
        <span className="break-words font-mono text-xs leading-5">{call.title === "" ? call.id : call.title}</span>
        <span className="sr-only"> {progress(CALL_STATES, call.status, isOver)}</span>
        {call.decision === null ? null : (
          <span className={cx("flex items-center gap-1 text-xs", refused ? "text-bad" : "text-ink-3")}>
            <Shield aria-hidden className="size-3.5" />
            {words.permission[call.decision] ?? call.decision}
          </span>
        )}
      </span>
    </div>
  );
}

function Line({ icon: Icon, label, children }: { icon: LucideIcon; label: string; children: React.ReactNode }) {
  return (
    <div className="flex min-w-0 items-start gap-2">
      <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-ink-3" />
      <span className="w-16 shrink-0 text-ink-3 text-xs leading-5">{label}</span>
      <div className="min-w-0 flex-1">{children}</div>
    </div>
  );
}
