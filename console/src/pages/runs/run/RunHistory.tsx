// Every event of a Run in order, with its payload. Only the lines in view are drawn, so that fifty thousand stay usable.

import { useVirtualizer } from "@tanstack/react-virtual";
import { ChevronRight } from "lucide-react";
import { useDeferredValue, useMemo, useRef, useState } from "react";
import type { EventLog, LogState } from "~/api/eventLog";
import type { RunEvent } from "~/api/types";
import { run as text } from "~/text/en/run";
import { cx } from "~/ui/cx";
import { TextField } from "~/ui/Field";
import { JsonView } from "~/ui/JsonView";
import { duration, exact } from "~/ui/time";
import { TONE_FILL } from "~/ui/tones";
import { detailOf, labelOf, toneOfEvent } from "./eventText";

interface RunHistoryProps {
  log: EventLog;
  state: LogState;
  at: number | undefined;
  onMove: (at: number) => void;
  /** Only events of this node. */
  nodeId?: string;
}

const ROW = 30;

export function RunHistory({ log, state, at, onMove, nodeId }: RunHistoryProps) {
  const [filter, setFilter] = useState("");
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const wanted = useDeferredValue(filter.trim().toLowerCase());
  const around = useRef<HTMLDivElement>(null);

  const shown = useMemo(
    () => log.between(1, state.count).filter((event) => matches(event, nodeId, wanted)),
    [log, state, nodeId, wanted],
  );
  const rows = useVirtualizer({
    count: shown.length,
    getScrollElement: () => around.current,
    estimateSize: () => ROW,
    getItemKey: (index) => shown[index]?.sequence ?? index,
    overscan: 12,
  });
  const start = log.event(1)?.recorded_at ?? shown[0]?.recorded_at;
  const toggle = (sequence: number) =>
    setOpen((held) => {
      const next = new Set(held);
      if (!next.delete(sequence)) next.add(sequence);
      return next;
    });

  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex items-end gap-3 border-line border-b px-3 py-2">
        <TextField
          label={text.history.filter}
          hideLabel
          type="search"
          placeholder={text.history.placeholder}
          value={filter}
          onValueChange={setFilter}
          className="flex-1"
        />
        <span role="status" className="pb-1.5 text-ink-3 text-xs">
          {text.history.count(shown.length, state.count)}
        </span>
      </div>
      {shown.length === 0 ? (
        <p className="p-4 text-ink-2 text-sm">
          {state.prefix < state.count ? text.playback.loading(state.prefix, state.count) : text.history.none}
        </p>
      ) : (
        <section
          ref={around}
          tabIndex={0}
          aria-label={text.history.label}
          className="min-h-0 flex-1 overflow-auto outline-offset-[-2px]"
        >
          <ol aria-label={text.history.label} className="relative" style={{ height: rows.getTotalSize() }}>
            {rows.getVirtualItems().map((item) => {
              const event = shown[item.index];
              if (event === undefined) return null;
              return (
                <li
                  key={item.key}
                  ref={rows.measureElement}
                  data-index={item.index}
                  aria-setsize={shown.length}
                  aria-posinset={item.index + 1}
                  className="absolute inset-x-0 top-0 border-line border-b"
                  style={{ transform: `translateY(${item.start}px)` }}
                >
                  <EventLine
                    event={event}
                    since={start === undefined ? 0 : Date.parse(event.recorded_at) - Date.parse(start)}
                    isHere={event.sequence === at}
                    isLater={at !== undefined && event.sequence > at}
                    isOpen={open.has(event.sequence)}
                    onToggle={toggle}
                    onMove={onMove}
                  />
                </li>
              );
            })}
          </ol>
        </section>
      )}
    </div>
  );
}

interface EventLineProps {
  event: RunEvent;
  /** Milliseconds since the first event. */
  since: number;
  isHere: boolean;
  isLater: boolean;
  isOpen: boolean;
  onToggle: (sequence: number) => void;
  onMove: (at: number) => void;
}

function EventLine({ event, since, isHere, isLater, isOpen, onToggle, onMove }: EventLineProps) {
  return (
    <>
      <div
        className={cx(
          "flex h-[29px] items-center gap-2 px-2 text-xs",
          isHere ? "bg-accent-soft" : "hover:bg-hover",
          isLater && "opacity-55",
        )}
      >
        <button
          type="button"
          aria-expanded={isOpen}
          aria-label={text.history.payload(event.sequence)}
          onClick={() => onToggle(event.sequence)}
          className="flex size-5 shrink-0 items-center justify-center rounded-sm text-ink-3 hover:bg-sunken"
        >
          <ChevronRight aria-hidden className={cx("size-3.5 transition-transform", isOpen && "rotate-90")} />
        </button>
        <button
          type="button"
          aria-current={isHere ? "step" : undefined}
          onClick={() => onMove(event.sequence)}
          className="flex min-w-0 flex-1 items-center gap-2 rounded-sm text-left"
        >
          <span className="w-12 shrink-0 text-right text-ink-3">{event.sequence}</span>
          <time
            dateTime={event.recorded_at}
            title={exact(event.recorded_at)}
            className="w-20 shrink-0 text-right text-ink-3"
          >
            +{duration(since)}
          </time>
          <span aria-hidden className={cx("size-2 shrink-0 rounded-full", TONE_FILL[toneOfEvent(event.event_type)])} />
          <span className="shrink-0 font-medium">{labelOf(event.event_type)}</span>
          {event.node_id === null ? null : (
            <span className="max-w-48 shrink-0 truncate text-ink-2">{event.node_id}</span>
          )}
          <span className="min-w-0 truncate text-ink-3">{detailOf(event)}</span>
        </button>
      </div>
      {isOpen ? (
        <div className="px-3 pb-2">
          <JsonView
            label={text.history.payload(event.sequence)}
            value={{ type: event.event_type, ...event.payload }}
            open={3}
          />
        </div>
      ) : null}
    </>
  );
}

function matches(event: RunEvent, nodeId: string | undefined, wanted: string): boolean {
  if (nodeId !== undefined && event.node_id !== nodeId) return false;
  if (wanted === "") return true;
  return (
    event.event_type.includes(wanted) ||
    labelOf(event.event_type).toLowerCase().includes(wanted) ||
    (event.node_id?.toLowerCase().includes(wanted) ?? false) ||
    event.payload_json.toLowerCase().includes(wanted)
  );
}
