// Every event of a Run in order, with its payload. A line leads to the moment behind its event.

import { useMemo } from "react";
import type { EventLog, LogState } from "~/api/eventLog";
import type { RunEvent } from "~/api/types";
import { EventList, Opened } from "~/components/EventList";
import { run as text } from "~/text/en/run";
import { cx } from "~/ui/cx";
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

export function RunHistory({ log, state, at, onMove, nodeId }: RunHistoryProps) {
  const events = useMemo(
    () => log.between(1, state.count).filter((event) => nodeId === undefined || event.node_id === nodeId),
    [log, state, nodeId],
  );
  const start = log.event(1)?.recorded_at ?? events[0]?.recorded_at;
  return (
    <EventList
      className="h-full"
      events={events}
      count={state.count}
      words={text.history}
      none={state.prefix < state.count ? text.playback.loading(state.prefix, state.count) : text.history.none}
      has={has}
      payload={(event) => ({ type: event.event_type, ...event.payload })}
      line={(event, { isOpen, toggle }) => (
        <EventLine
          event={event}
          since={start === undefined ? 0 : Date.parse(event.recorded_at) - Date.parse(start)}
          isHere={event.sequence === at}
          isLater={at !== undefined && event.sequence > at}
          isOpen={isOpen}
          onToggle={toggle}
          onMove={onMove}
        />
      )}
    />
  );
}

interface EventLineProps {
  event: RunEvent;
  /** Milliseconds since the first event. */
  since: number;
  isHere: boolean;
  isLater: boolean;
  isOpen: boolean;
  onToggle: () => void;
  onMove: (at: number) => void;
}

function EventLine({ event, since, isHere, isLater, isOpen, onToggle, onMove }: EventLineProps) {
  return (
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
        onClick={onToggle}
        className="flex size-5 shrink-0 items-center justify-center rounded-sm text-ink-3 hover:bg-sunken"
      >
        <Opened isOpen={isOpen} />
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
        {event.node_id === null ? null : <span className="max-w-48 shrink-0 truncate text-ink-2">{event.node_id}</span>}
        <span className="min-w-0 truncate text-ink-3">{detailOf(event)}</span>
      </button>
    </div>
  );
}

function has(event: RunEvent, wanted: string): boolean {
  return (
    event.event_type.includes(wanted) ||
    labelOf(event.event_type).toLowerCase().includes(wanted) ||
    (event.node_id?.toLowerCase().includes(wanted) ?? false) ||
    event.payload_json.toLowerCase().includes(wanted)
  );
}
