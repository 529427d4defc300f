// Every event of a task in order, with its payload. Only the lines in view are drawn.

import { useVirtualizer } from "@tanstack/react-virtual";
import { ChevronRight } from "lucide-react";
import { useDeferredValue, useMemo, useRef, useState } from "react";
import type { TaskEvent } from "~/api/types";
import { task as text } from "~/text/en/task";
import { cx } from "~/ui/cx";
import { TextField } from "~/ui/Field";
import { JsonView } from "~/ui/JsonView";
import { exact } from "~/ui/time";
import type { TaskEvents } from "./useTaskEvents";

const words = text.events;
const ROW = 30;

export function TaskEventList({ log }: { log: TaskEvents }) {
  const [filter, setFilter] = useState("");
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const wanted = useDeferredValue(filter.trim().toLowerCase());
  const around = useRef<HTMLDivElement>(null);
  const shown = useMemo(() => log.events.filter((event) => matches(event, wanted)), [log.events, wanted]);
  const rows = useVirtualizer({
    count: shown.length,
    getScrollElement: () => around.current,
    estimateSize: () => ROW,
    getItemKey: (index) => shown[index]?.sequence ?? index,
    overscan: 12,
  });
  const toggle = (sequence: number) =>
    setOpen((held) => {
      const next = new Set(held);
      if (!next.delete(sequence)) next.add(sequence);
      return next;
    });

  return (
    <div className="flex min-h-0 flex-col">
      <div className="flex items-center gap-3 border-line border-b px-3 py-2">
        <TextField
          label={words.filter}
          hideLabel
          type="search"
          placeholder={words.placeholder}
          value={filter}
          onValueChange={setFilter}
          className="flex-1"
        />
        <span role="status" className="text-ink-3 text-xs">
          {words.count(shown.length, log.events.length)}
        </span>
      </div>
      {shown.length === 0 ? <p className="p-4 text-ink-2 text-sm">{words.none}</p> : null}
      <section
        ref={around}
        tabIndex={0}
        aria-label={words.label}
        className="max-h-[65vh] min-h-0 overflow-auto outline-offset-[-2px]"
      >
        <ol className="relative" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map((item) => {
            const event = shown[item.index];
            if (event === undefined) return null;
            const isOpen = open.has(event.sequence);
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
                <button
                  type="button"
                  aria-expanded={isOpen}
                  onClick={() => toggle(event.sequence)}
                  className="flex h-[29px] w-full items-center gap-2 px-2 text-left text-xs outline-offset-[-2px] hover:bg-hover"
                >
                  <ChevronRight
                    aria-hidden
                    className={cx("size-3.5 shrink-0 text-ink-3 transition-transform", isOpen && "rotate-90")}
                  />
                  <span className="w-10 shrink-0 text-right text-ink-3">{event.sequence}</span>
                  <time dateTime={event.recorded_at} className="shrink-0 text-ink-3">
                    {exact(event.recorded_at).slice(11)}
                  </time>
                  <span className="shrink-0 font-medium">{event.event_type}</span>
                  <span className="min-w-0 truncate font-mono text-ink-3">{JSON.stringify(event.payload)}</span>
                </button>
                {isOpen ? (
                  <div className="px-3 pb-2">
                    <JsonView label={words.payload(event.sequence)} value={event.payload} open={3} />
                  </div>
                ) : null}
              </li>
            );
          })}
        </ol>
      </section>
    </div>
  );
}

function matches(event: TaskEvent, wanted: string): boolean {
  return (
    wanted === "" || event.event_type.includes(wanted) || JSON.stringify(event.payload).toLowerCase().includes(wanted)
  );
}
