// Every event of a task in order, with its payload.

import type { TaskEvent } from "~/api/types";
import { EventList, Opened } from "~/components/EventList";
import { task as text } from "~/text/en/task";
import { exact } from "~/ui/time";
import type { TaskEvents } from "./useTaskEvents";

export function TaskEventList({ log }: { log: TaskEvents }) {
  return (
    <EventList
      className="max-h-[70vh]"
      events={log.events}
      count={log.events.length}
      words={text.events}
      none={text.events.none}
      has={has}
      payload={(event) => event.payload}
      line={(event, { isOpen, toggle }) => (
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={toggle}
          className="flex h-[29px] w-full items-center gap-2 px-2 text-left text-xs outline-offset-[-2px] hover:bg-hover"
        >
          <Opened isOpen={isOpen} className="shrink-0 text-ink-3" />
          <span className="w-10 shrink-0 text-right text-ink-3">{event.sequence}</span>
          <time dateTime={event.recorded_at} className="shrink-0 text-ink-3">
            {exact(event.recorded_at).slice(11)}
          </time>
          <span className="shrink-0 font-medium">{event.event_type}</span>
          <span className="min-w-0 truncate font-mono text-ink-3">{JSON.stringify(event.payload)}</span>
        </button>
      )}
    />
  );
}

function has(event: TaskEvent, wanted: string): boolean {
  return event.event_type.includes(wanted) || JSON.stringify(event.payload).toLowerCase().includes(wanted);
}
