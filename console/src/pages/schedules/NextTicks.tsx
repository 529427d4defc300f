// When a pattern ticks next, as the server reads it: asked a moment after the last key, and wrong in the same words.

import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { ApiError } from "~/api/error";
import { schedulePreview } from "~/api/schedules";
import { schedules } from "~/text/en/schedules";
import { Time } from "~/ui/Time";

const text = schedules.form.next;
/** Typing is over when nothing was typed for this long. */
const PAUSE_MS = 300;

export interface Ticks {
  /** `undefined`: not known yet. */
  ticks: readonly { at: string; local: string }[] | undefined;
  /** Why the pattern is none; null as long as that is not known. */
  problem: string | null;
}

export function useTicks(cron: string, zone: string): Ticks {
  const [settled, setSettled] = useState({ cron, zone });
  useEffect(() => {
    const timer = setTimeout(() => setSettled({ cron, zone }), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [cron, zone]);
  const isSettled = settled.cron === cron && settled.zone === zone;
  const { data, error } = useQuery({
    ...schedulePreview(settled.cron, settled.zone),
    enabled: isSettled && settled.cron.trim() !== "",
  });
  if (!isSettled || cron.trim() === "") return { ticks: undefined, problem: null };
  // That nobody answers is said elsewhere, and is no fault of the pattern.
  return { ticks: data?.ticks, problem: error instanceof ApiError && error.status === 400 ? error.message : null };
}

export function NextTicks({ ticks, zone }: { ticks: Ticks["ticks"]; zone: string }) {
  return (
    <section aria-label={text.label} className="min-h-21 rounded-md bg-sunken px-3 py-2 text-sm">
      <h3 className="font-medium text-ink-2 text-xs">{text.title(zone)}</h3>
      {ticks === undefined ? (
        <p className="text-ink-3">{text.none}</p>
      ) : (
        <ol>
          {ticks.map(({ at, local }) => (
            <li key={at} className="flex flex-wrap items-baseline gap-x-3">
              <span className="font-mono text-xs">{local}</span>
              <span className="text-ink-3 text-xs">
                <Time at={at} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
