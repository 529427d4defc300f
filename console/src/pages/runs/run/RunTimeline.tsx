// When each node worked: one line a node, from the moment it was ready to the moment it was settled. Only the lines in
// view are drawn.

import { useVirtualizer } from "@tanstack/react-virtual";
import { useRef, useSyncExternalStore } from "react";
import { run as text } from "~/text/en/run";
import { StateIcon, stateLabel } from "~/ui/Badge";
import { cx } from "~/ui/cx";
import { duration } from "~/ui/time";
import { TONE_FILL, toneOf } from "~/ui/tones";
import type { RunGraph } from "./graph";
import { isSettled, type Moment, type NodeMoment } from "./replay";

interface RunTimelineProps {
  graph: RunGraph;
  moment: Moment;
  /** When the Run began, and ended if it has. */
  startedAt: string;
  finishedAt: string | null;
  selected: string | undefined;
  onSelect: (nodeId: string) => void;
}

const ROW = 32;
const TICK_MS = 500;

export function RunTimeline({ graph, moment, startedAt, finishedAt, selected, onSelect }: RunTimelineProps) {
  const around = useRef<HTMLDivElement>(null);
  const now = useSyncExternalStore(
    finishedAt === null ? everyTick : never,
    () => Math.floor(Date.now() / TICK_MS) * TICK_MS,
  );
  const start = Date.parse(startedAt);
  const end = Math.max(finishedAt === null ? now : Date.parse(finishedAt), start + 1);
  const rows = useVirtualizer({
    count: graph.nodes.length,
    getScrollElement: () => around.current,
    estimateSize: () => ROW,
    overscan: 10,
  });

  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex h-8 shrink-0 items-center border-line border-b text-ink-3 text-xs">
        <span className="w-56 shrink-0 px-3">{text.timeline.node}</span>
        <span className="flex flex-1 justify-between px-2">
          {[0, 0.25, 0.5, 0.75, 1].map((part) => (
            <span key={part}>{duration((end - start) * part)}</span>
          ))}
        </span>
      </div>
      <div ref={around} className="min-h-0 flex-1 overflow-auto">
        <ol aria-label={text.timeline.label} className="relative" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, start: top }) => {
            const node = graph.nodes[index];
            if (node === undefined) return null;
            const at = moment.nodes.get(node.id);
            const state = at?.state ?? "pending";
            const span = spanOf(at, start, end);
            const where =
              span === null ? "behind" : placeOf(percent(span.from, start, end), percent(span.to, start, end));
            const took = span === null ? "" : duration(span.to - span.from);
            return (
              <li
                key={node.id}
                className="absolute inset-x-0 top-0"
                style={{ transform: `translateY(${top}px)`, height: ROW }}
              >
                <button
                  type="button"
                  aria-pressed={node.id === selected}
                  onClick={() => onSelect(node.id)}
                  className={cx(
                    "flex h-full w-full items-center border-line border-b text-left text-sm outline-offset-[-2px]",
                    node.id === selected ? "bg-accent-soft" : "hover:bg-hover",
                  )}
                >
                  <span className="flex w-56 shrink-0 items-center gap-2 px-3">
                    <StateIcon state={state} className="size-3.5" />
                    <span className="truncate">{node.title}</span>
                    <span className="sr-only">{stateLabel(state)}</span>
                  </span>
                  <span className="relative mx-2 h-full flex-1">
                    {span === null ? null : (
                      <>
                        <span
                          className={cx("absolute top-2.5 h-3 min-w-1 rounded-sm", TONE_FILL[toneOf(state)])}
                          style={{
                            left: `${percent(span.from, start, end)}%`,
                            width: `${percent(span.to, start, end) - percent(span.from, start, end)}%`,
                          }}
                        />
                        <span
                          className={cx(
                            "absolute top-1.5 whitespace-nowrap text-xs",
                            where === "on" ? "right-1 rounded-sm bg-surface px-1 text-ink-2" : "px-1.5 text-ink-3",
                          )}
                          style={
                            where === "before"
                              ? { right: `${100 - percent(span.from, start, end)}%` }
                              : where === "behind"
                                ? { left: `${percent(span.to, start, end)}%` }
                                : {}
                          }
                        >
                          {took}
                        </span>
                      </>
                    )}
                  </span>
                </button>
              </li>
            );
          })}
        </ol>
      </div>
    </div>
  );
}

function spanOf(at: NodeMoment | undefined, start: number, end: number): { from: number; to: number } | null {
  if (at === undefined || at.readyAt === null) return null;
  const from = Math.max(start, Date.parse(at.readyAt));
  const to = isSettled(at.state) && at.settledAt !== null ? Date.parse(at.settledAt) : end;
  return { from, to: Math.max(from, to) };
}

/** Percent that a duration needs beside a bar. */
const LABEL = 15;

/** Where the duration of a bar stands: beside it, or on it where it leaves no room on either side. */
function placeOf(from: number, to: number): "before" | "behind" | "on" {
  if (to <= 100 - LABEL) return "behind";
  return from >= LABEL ? "before" : "on";
}

function percent(at: number, start: number, end: number): number {
  return Math.min(100, Math.max(0, ((at - start) / (end - start)) * 100));
}

function everyTick(changed: () => void): () => void {
  const timer = setInterval(changed, TICK_MS);
  return () => clearInterval(timer);
}

function never(): () => void {
  return () => {};
}
