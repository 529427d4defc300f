// Whether what is shown is live: a quiet mark in the navigation, and a line across the page when it is not.

import { WifiOff } from "lucide-react";
import { useEffect, useState } from "react";
import { useConnection } from "~/api/connection";
import { common as text } from "~/text/en/common";
import { cx } from "~/ui/cx";
import { Time } from "~/ui/Time";
import { TONE_FILL, type Tone } from "~/ui/tones";

const MARKS: Readonly<Record<string, { tone: Tone; label: string }>> = {
  connecting: { tone: "idle", label: text.connection.connecting },
  live: { tone: "ok", label: text.connection.live },
  lost: { tone: "bad", label: text.connection.lost },
};

export function ConnectionMark() {
  const state = useConnection((held) => held.state);
  const mark = MARKS[state] ?? { tone: "idle" as const, label: state };
  return (
    <span className="flex items-center gap-2 text-ink-2 text-xs">
      <span aria-hidden className={cx("size-2 rounded-full", TONE_FILL[mark.tone])} />
      {mark.label}
    </span>
  );
}

/** How long the page says that the connection is back. */
const RECOVERED_MS = 5_000;

export function ConnectionNotice() {
  const { state, lostAt, recoveries } = useConnection();
  const [told, setTold] = useState(0);
  const recovered = state === "live" && recoveries > told;
  useEffect(() => {
    if (!recovered) return;
    const timer = setTimeout(() => setTold(recoveries), RECOVERED_MS);
    return () => clearTimeout(timer);
  }, [recovered, recoveries]);

  return (
    <div role="status" aria-live="polite">
      {state === "lost" ? (
        <p className="flex flex-wrap items-center gap-2 border-line border-b bg-bad-soft px-4 py-2 text-sm sm:px-6">
          <WifiOff aria-hidden className="size-4 shrink-0 text-bad" />
          <span className="font-semibold text-bad">{text.connection.lost}</span>
          <span className="min-w-0">{text.connection.lostNotice}</span>
          {lostAt === null ? null : (
            <span className="text-ink-2">
              <Time at={new Date(lostAt).toISOString()} />
            </span>
          )}
        </p>
      ) : null}
      {recovered ? (
        <p className="border-line border-b bg-ok-soft px-4 py-2 text-ok text-sm sm:px-6">{text.connection.recovered}</p>
      ) : null}
    </div>
  );
}
