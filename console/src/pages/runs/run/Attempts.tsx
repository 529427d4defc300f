// Each call of a node's executor: when it began, how it came out.

import type { RunEvent } from "~/api/types";
import { run as text } from "~/text/en/run";
import { Table } from "~/ui/Table";
import { Duration, Time } from "~/ui/Time";
import { type Call, callsOf } from "./calls";
import { labelOf } from "./eventText";

export function Attempts({ events }: { events: readonly RunEvent[] }) {
  const words = text.node.attempt;
  return (
    <Table<Call>
      label={words.label}
      rows={callsOf(events)}
      getKey={(call) => String(call.number)}
      empty={<p className="p-4 text-ink-2 text-sm">{text.node.noAttempts}</p>}
      columns={[
        { id: "number", header: words.number, align: "right", cell: (call) => call.number },
        { id: "started", header: words.started, cell: (call) => <Time at={call.startedAt} /> },
        {
          id: "took",
          header: words.took,
          align: "right",
          cell: (call) => <Duration from={call.startedAt} to={call.endedAt} />,
        },
        {
          id: "outcome",
          header: words.outcome,
          cell: (call) =>
            call.outcome === null ? (
              ""
            ) : (
              <>
                {labelOf(call.outcome)}
                {call.message === "" ? null : <span className="block text-ink-3 text-xs">{call.message}</span>}
              </>
            ),
        },
      ]}
    />
  );
}
