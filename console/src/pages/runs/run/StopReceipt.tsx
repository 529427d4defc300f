// What the stop of a Run did: when it was asked for, which nodes it ended, when it was confirmed.

import type { RunEvent, RunSummary } from "~/api/types";
import { run as text } from "~/text/en/run";
import { KeyValue } from "~/ui/KeyValue";
import { exact } from "~/ui/time";
import type { RunRecord } from "./useRunRecord";

export function StopReceipt({ record }: { record: RunRecord & { run: RunSummary } }) {
  const { run, log, logState } = record;
  if (run.status !== "cancelled" && run.status !== "cancel_requested") return null;
  const events = log.between(1, logState.count);
  const asked = events.findLast((event) => event.event_type === "run.cancel_requested");
  const ended = events.filter((event) => event.event_type === "node.cancelled");
  const confirmed = events.findLast((event) => event.event_type === "run.cancelled");
  if (asked === undefined) return null;
  return (
    <section aria-label={text.actions.receipt}>
      <h2 className="mb-2 font-semibold text-sm">{text.actions.receipt}</h2>
      <KeyValue
        facts={[
          [text.actions.asked, when(asked)],
          ...ended.map((event) => [event.node_id ?? "", when(event)] as const),
          [text.actions.confirmed, confirmed === undefined ? null : when(confirmed)],
        ]}
      />
    </section>
  );
}

function when(event: RunEvent) {
  return <time dateTime={event.recorded_at}>{exact(event.recorded_at)}</time>;
}
