// Goes through a Run event by event: previous, play and next, a slider over all events, and a button for each of them.

import { useVirtualizer } from "@tanstack/react-virtual";
import { ChevronFirst, ChevronLeft, ChevronRight, Pause, Play, Radio } from "lucide-react";
import { useEffect, useEffectEvent, useRef, useState } from "react";
import type { EventLog, LogState } from "~/api/eventLog";
import { useShortcuts } from "~/components/shortcuts";
import { run as text } from "~/text/en/run";
import { Button, IconButton } from "~/ui/Button";
import { cx } from "~/ui/cx";
import { exact } from "~/ui/time";
import { TONE_FILL } from "~/ui/tones";
import { detailOf, labelOf, toneOfEvent } from "./eventText";

interface PlaybackProps {
  log: EventLog;
  state: LogState;
  /** The event that is looked at; the present without it. */
  at: number | undefined;
  onMove: (at: number | undefined) => void;
}

/** Half a second an event at the first speed. */
const STEP_MS = 500;
const SPEEDS = [1, 4, 16] as const;

export function Playback({ log, state, at, onMove }: PlaybackProps) {
  const [playing, setPlaying] = useState(false);
  const [speed, setSpeed] = useState<(typeof SPEEDS)[number]>(1);
  const count = state.count;
  const position = Math.min(at ?? count, count);
  const event = log.event(position);
  const canBack = position > 1;
  const canOn = position < count;

  const tick = useEffectEvent(() => {
    if (position >= count) {
      setPlaying(false);
      onMove(undefined);
    } else {
      onMove(position + 1);
    }
  });
  useEffect(() => {
    if (!playing) return;
    const timer = setInterval(() => tick(), STEP_MS / speed);
    return () => clearInterval(timer);
  }, [playing, speed]);

  const move = (next: number) => {
    setPlaying(false);
    onMove(Math.max(1, Math.min(next, count)));
  };
  const toggle = () => {
    // From the end it begins again.
    if (!playing && !canOn) onMove(1);
    setPlaying(!playing);
  };
  useShortcuts("page", [
    { keys: "ArrowLeft", label: text.playback.previous, run: () => canBack && move(position - 1) },
    { keys: "ArrowRight", label: text.playback.next, run: () => canOn && move(position + 1) },
    { keys: " ", label: `${text.playback.play} / ${text.playback.pause}`, run: toggle },
  ]);

  return (
    <section aria-label={text.playback.label} className="border-line border-t bg-surface px-3 pt-2 pb-2">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <div className="flex items-center">
          <IconButton
            size="sm"
            icon={ChevronFirst}
            label={text.playback.first}
            disabled={!canBack}
            onClick={() => move(1)}
          />
          <IconButton
            size="sm"
            icon={ChevronLeft}
            label={text.playback.previous}
            disabled={!canBack}
            onClick={() => move(position - 1)}
          />
          <IconButton
            size="sm"
            icon={playing ? Pause : Play}
            label={playing ? text.playback.pause : text.playback.play}
            disabled={count === 0}
            onClick={toggle}
          />
          <IconButton
            size="sm"
            icon={ChevronRight}
            label={text.playback.next}
            disabled={!canOn}
            onClick={() => move(position + 1)}
          />
        </div>
        <input
          type="range"
          aria-label={text.playback.slider}
          aria-valuetext={
            event === undefined ? undefined : text.playback.event(position, event.node_id, labelOf(event.event_type))
          }
          min={1}
          max={Math.max(1, count)}
          value={Math.max(1, position)}
          disabled={count === 0}
          onChange={(change) => move(Number(change.target.value))}
          className="h-1.5 min-w-40 flex-1 accent-[var(--accent)]"
        />
        <span className="text-ink-2 text-xs">{text.playback.position(position, count)}</span>
        <select
          aria-label={text.playback.speed}
          value={speed}
          onChange={(change) => setSpeed(SPEEDS.find((one) => String(one) === change.target.value) ?? 1)}
          className="h-7 rounded-md border border-line-strong bg-surface px-1 text-xs"
        >
          {SPEEDS.map((one) => (
            <option key={one} value={one}>{`${one}×`}</option>
          ))}
        </select>
        <Button
          size="sm"
          variant={at === undefined ? "primary" : "secondary"}
          icon={Radio}
          aria-pressed={at === undefined}
          onClick={() => {
            setPlaying(false);
            onMove(undefined);
          }}
        >
          {text.playback.live}
        </Button>
      </div>
      <EventStrip log={log} state={state} position={position} onMove={move} />
      <p className="mt-1 flex h-5 min-w-0 items-center gap-2 text-xs" aria-live={playing ? "off" : "polite"}>
        {event === undefined ? (
          <span className="text-ink-3">{count === 0 ? "" : text.playback.loading(state.prefix, count)}</span>
        ) : (
          <>
            <span
              aria-hidden
              className={cx("size-2 shrink-0 rounded-full", TONE_FILL[toneOfEvent(event.event_type)])}
            />
            <span className="shrink-0 font-medium">{labelOf(event.event_type)}</span>
            {event.node_id === null ? null : <span className="shrink-0 text-ink-2">{event.node_id}</span>}
            <span className="min-w-0 truncate text-ink-3">{detailOf(event)}</span>
            <time className="ml-auto shrink-0 text-ink-3" dateTime={event.recorded_at}>
              {exact(event.recorded_at)}
            </time>
          </>
        )}
      </p>
    </section>
  );
}

interface StripProps {
  log: EventLog;
  state: LogState;
  position: number;
  onMove: (at: number) => void;
}

const BAR = 12;

/** A button for each event; those out of view are not drawn. */
function EventStrip({ log, state, position, onMove }: StripProps) {
  const around = useRef<HTMLDivElement>(null);
  const strip = useVirtualizer({
    horizontal: true,
    count: state.count,
    getScrollElement: () => around.current,
    estimateSize: () => BAR,
    overscan: 20,
  });
  const reveal = useEffectEvent((at: number) => strip.scrollToIndex(at, { align: "auto" }));
  useEffect(() => {
    if (position > 0) reveal(position - 1);
  }, [position]);
  const shown = strip.getVirtualItems();
  const first = (shown[0]?.index ?? 0) + 1;
  const last = (shown.at(-1)?.index ?? -1) + 1;
  useEffect(() => {
    if (last > 0) void log.need(first, last);
  }, [log, first, last]);

  return (
    // biome-ignore lint/a11y/useSemanticElements: buttons of one toolbar are no form fields
    <div
      ref={around}
      role="group"
      aria-label={text.playback.events}
      className="mt-1.5 overflow-x-auto overflow-y-hidden py-0.5"
    >
      <div className="relative h-5" style={{ width: strip.getTotalSize() }}>
        {shown.map(({ index, start }) => {
          const event = log.event(index + 1);
          const isHere = index + 1 === position;
          const label =
            event === undefined
              ? `${text.playback.slider} ${index + 1}`
              : text.playback.event(index + 1, event.node_id, labelOf(event.event_type));
          return (
            <button
              key={index}
              type="button"
              title={label}
              aria-label={label}
              aria-current={isHere ? "step" : undefined}
              // The slider and the arrow keys go through all events; thousands of stops for Tab would help nobody.
              tabIndex={-1}
              onClick={() => onMove(index + 1)}
              style={{ left: start, width: BAR - 2 }}
              className={cx(
                "absolute inset-y-0 rounded-sm",
                event === undefined ? "bg-hover" : TONE_FILL[toneOfEvent(event.event_type)],
                isHere
                  ? "outline-2 outline-ink"
                  : index + 1 > position
                    ? "opacity-25 hover:opacity-60"
                    : "opacity-70 hover:opacity-100",
              )}
            />
          );
        })}
      </div>
    </div>
  );
}
