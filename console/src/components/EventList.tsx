// Events in order, found by a text, each with its payload to open. Only the lines in view are drawn, so that fifty
// thousand stay usable. What a line says is the page's.

import { useVirtualizer } from "@tanstack/react-virtual";
import { ChevronRight } from "lucide-react";
import { type ReactNode, useDeferredValue, useMemo, useRef, useState } from "react";
import { cx } from "~/ui/cx";
import { TextField } from "~/ui/Field";
import { JsonView } from "~/ui/JsonView";

interface Sequenced {
  readonly sequence: number;
}

interface EventListProps<E extends Sequenced> {
  events: readonly E[];
  /** How many there are in all. */
  count: number;
  words: {
    label: string;
    filter: string;
    placeholder: string;
    count: (shown: number, all: number) => string;
    payload: (sequence: number) => string;
  };
  /** Whether an event has the text, which is lower case and not empty. Stays the same from one drawing to the next. */
  has: (event: E, text: string) => boolean;
  payload: (event: E) => unknown;
  line: (event: E, open: { isOpen: boolean; toggle: () => void }) => ReactNode;
  /** What stands there instead of no event. */
  none: string;
  className?: string;
}

const ROW = 30;

export function EventList<E extends Sequenced>(props: EventListProps<E>) {
  const { events, count, words, has, payload, line, none, className } = props;
  const [filter, setFilter] = useState("");
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const wanted = useDeferredValue(filter.trim().toLowerCase());
  const around = useRef<HTMLDivElement>(null);
  const shown = useMemo(
    () => (wanted === "" ? events : events.filter((event) => has(event, wanted))),
    [events, wanted, has],
  );
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
    <div className={cx("flex min-h-0 flex-col", className)}>
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
          {words.count(shown.length, count)}
        </span>
      </div>
      {shown.length === 0 ? <p className="p-4 text-ink-2 text-sm">{none}</p> : null}
      <section
        ref={around}
        tabIndex={0}
        aria-label={words.label}
        className="min-h-0 flex-1 overflow-auto outline-offset-[-2px]"
      >
        <ol aria-label={words.label} className="relative" style={{ height: rows.getTotalSize() }}>
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
                {line(event, { isOpen, toggle: () => toggle(event.sequence) })}
                {isOpen ? (
                  <div className="px-3 pb-2">
                    <JsonView label={words.payload(event.sequence)} value={payload(event)} open={3} />
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

/** Points down while a line is open. */
export function Opened({ isOpen, className }: { isOpen: boolean; className?: string }) {
  return <ChevronRight aria-hidden className={cx("size-3.5 transition-transform", isOpen && "rotate-90", className)} />;
}
