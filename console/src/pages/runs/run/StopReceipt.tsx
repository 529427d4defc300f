// What the stop of a Run did: who asked for it and when, which nodes it ended, when nothing executed any more.

import type { RunDetail } from "~/api/types";
import { run as text } from "~/text/en/run";
import { KeyValue } from "~/ui/KeyValue";
import { exact } from "~/ui/time";

export function StopReceipt({ receipt }: { receipt: NonNullable<RunDetail["cancellation"]> }) {
  return (
    <section aria-label={text.actions.receipt}>
      <h2 className="mb-2 font-semibold text-sm">{text.actions.receipt}</h2>
      <KeyValue
        facts={[
          [text.actions.asked, exact(receipt.requested_at)],
          [text.actions.askedBy, receipt.actor],
          [
            text.actions.ended,
            receipt.cancelled_node_ids.length === 0 ? text.actions.endedNone : receipt.cancelled_node_ids.join(", "),
          ],
          [
            text.actions.unconfirmed,
            receipt.unconfirmed_node_ids.length === 0 ? null : receipt.unconfirmed_node_ids.join(", "),
          ],
          [text.actions.confirmed, receipt.ended_at === null ? null : exact(receipt.ended_at)],
        ]}
      />
    </section>
  );
}
