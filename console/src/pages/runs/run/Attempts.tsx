// Each call of a node's executor: when it began, how it came out, and the task of the channel that it was.

import type { NodeCall } from "~/api/types";
import { run as text } from "~/text/en/run";
import { Badge } from "~/ui/Badge";
import { Mono } from "~/ui/KeyValue";
import { Link } from "~/ui/Link";
import { type Column, Table } from "~/ui/Table";
import { Duration, Time } from "~/ui/Time";
import type { Tone } from "~/ui/tones";
import { TaskLink } from "./TaskLink";
import { usageOf } from "./usage";

const words = text.node.attempt;

const TONES: Readonly<Record<NodeCall["result"], Tone>> = {
  under_way: "run",
  succeeded: "ok",
  rejected: "bad",
  failed: "bad",
  lost: "bad",
  uncertain: "wait",
  ended: "idle",
};

const COLUMNS: readonly Column<NodeCall>[] = [
  { id: "number", header: words.number, cell: (call) => numberOf(call) },
  { id: "started", header: words.started, cell: (call) => <Time at={call.started_at} /> },
  {
    id: "took",
    header: words.took,
    align: "right",
    cell: (call) => <Duration from={call.started_at} to={call.ended_at} />,
  },
  {
    id: "outcome",
    header: words.outcome,
    cell: (call) => (
      <span className="flex flex-col items-start gap-1">
        <Badge tone={TONES[call.result]}>{words.results[call.result]}</Badge>
        {call.failure === null ? null : (
          <span className="break-words text-ink-2 text-xs">
            {call.failure.error_type}: {call.failure.message}
          </span>
        )}
        {call.subrun_id === null ? null : (
          <Link to="/runs/$runId" params={{ runId: call.subrun_id }}>
            {words.subrun}
          </Link>
        )}
        {call.task === null ? null : (
          <>
            <span>
              {words.task} <TaskLink taskId={call.task.task_id} />
            </span>
            {usageOf(call.task.usage).map(([name, value]) => (
              <span key={name} className="text-ink-3 text-xs">
                {name} <Mono>{value}</Mono>
              </span>
            ))}
          </>
        )}
      </span>
    ),
  },
];

/** Newest first, as they come. */
export function Attempts({ calls }: { calls: readonly NodeCall[] }) {
  return (
    <Table<NodeCall>
      label={words.label}
      rows={calls}
      getKey={(call) => `${call.round} ${call.index ?? ""} ${call.attempt} ${call.started_at}`}
      empty={<p className="p-4 text-ink-2 text-sm">{text.node.noAttempts}</p>}
      columns={COLUMNS}
    />
  );
}

/** `2`, `2 of round 3`, `item 7`. */
function numberOf(call: NodeCall): string {
  const parts = [
    ...(call.index === null ? [] : [words.item(call.index + 1)]),
    ...(call.round > 1 ? [words.round(call.round)] : []),
    words.attempt(call.attempt),
  ];
  return parts.join(", ");
}
