// The Run as a whole, shown while no node is chosen: why it waits or ended, what it made, where it comes from.

import { useQuery } from "@tanstack/react-query";
import { savedFlows } from "~/api/flows";
import { isRecorded } from "~/api/recorded";
import { runDetail } from "~/api/runs";
import type { RunDetail, RunSummary } from "~/api/types";
import { run as text } from "~/text/en/run";
import { StateBadge } from "~/ui/Badge";
import { CopyButton } from "~/ui/CopyButton";
import { KeyValue, Mono } from "~/ui/KeyValue";
import { Link } from "~/ui/Link";
import { Duration, Time } from "~/ui/Time";
import { GivenInputs } from "../GivenInputs";
import { Artifacts } from "./Artifacts";
import { Authorized } from "./Authorized";
import { type RunGraph, titleIn } from "./graph";
import type { Moment } from "./replay";
import { StopReceipt } from "./StopReceipt";
import type { RunRecord } from "./useRunRecord";
import { Waiters } from "./Waiters";
import { Why } from "./Why";

interface RunPanelProps {
  record: RunRecord & { run: RunSummary; graph: RunGraph; moment: Moment };
  onSelect: (nodeId: string) => void;
}

export function RunPanel({ record, onSelect }: RunPanelProps) {
  const { run, graph } = record;
  const { data: detail } = useQuery(runDetail(run.run_id));
  const titleOf = titleIn(graph);
  return (
    <section aria-label={text.overview} className="min-h-0 flex-1 overflow-auto bg-surface">
      <div className="flex flex-col gap-4 p-4">
        {run.quarantined === undefined ? (
          <Why run={run} graph={graph} />
        ) : (
          <p className="text-bad">{run.quarantined}</p>
        )}
        {detail === undefined || detail.unconfirmed.length === 0 ? null : (
          <Unconfirmed left={detail.unconfirmed} titleOf={titleOf} />
        )}
        <Waiters record={record} onSelect={onSelect} />
        <GivenInputs runId={run.run_id} />
        <div>
          <h2 className="mb-2 font-semibold text-sm">{text.artifacts.title}</h2>
          <Artifacts runId={run.run_id} />
        </div>
        {detail?.cancellation == null ? null : <StopReceipt receipt={detail.cancellation} />}
        {detail?.authorization == null ? null : <Authorized authorization={detail.authorization} titleOf={titleOf} />}
        <KeyValue
          facts={[
            [text.facts.state, <StateBadge key="state" state={run.waiting ? "waiting" : run.status} />],
            [text.facts.nodes, `${run.settled_node_count} / ${run.node_count}`],
            [text.facts.started, <Time key="started" at={run.started_at} />],
            [text.facts.took, <Duration key="took" from={run.started_at} to={run.finished_at} />],
            [text.facts.events, record.logState.count],
            [
              text.facts.run,
              <span key="run" className="flex items-center gap-1">
                <Mono>{run.run_id}</Mono>
                <CopyButton value={run.run_id} />
              </span>,
            ],
            [text.facts.flow, <FlowLink key="flow" run={run} />],
            [text.facts.hash, <Mono key="hash">{run.flow_hash}</Mono>],
            [text.facts.executor, run.executor_profile],
            [
              text.facts.parent,
              detail?.origin == null ? null : <RunLink key="parent" runId={detail.origin.parent_run_id} />,
            ],
            [text.facts.from, detail?.origin?.from_node_id],
            [
              text.facts.schedule,
              run.schedule_id === undefined || isRecorded() ? (
                run.schedule_id
              ) : (
                <Link key="schedule" to="/schedules" search={{ id: run.schedule_id }}>
                  <Mono>{run.schedule_id}</Mono>
                </Link>
              ),
            ],
            [text.facts.subrunOf, run.subrun_of === undefined ? null : <RunLink key="sub" runId={run.subrun_of} />],
          ]}
        />
      </div>
    </section>
  );
}

interface UnconfirmedProps {
  left: RunDetail["unconfirmed"];
  titleOf: (nodeId: string) => string;
}

/** What may still run although the Run is over with it. */
function Unconfirmed({ left, titleOf }: UnconfirmedProps) {
  return (
    <section aria-label={text.unconfirmed} className="rounded-lg bg-bad-soft px-3 py-2.5 text-sm">
      <h2 className="font-semibold text-bad">{text.unconfirmed}</h2>
      <ul>
        {left.map(({ node_id: node, message }) => (
          <li key={node} className="break-words">
            <span className="font-medium">{titleOf(node)}</span> {message}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** To the saved flow, where it is still there. */
function FlowLink({ run }: { run: RunSummary }) {
  const flows = useQuery({ ...savedFlows(), enabled: !isRecorded() });
  if (!flows.data?.some((flow) => flow.flow_id === run.task_id)) return <Mono>{run.flow_id}</Mono>;
  return (
    <Link to="/flows/$flowId" params={{ flowId: run.task_id }}>
      <Mono>{run.flow_id}</Mono>
    </Link>
  );
}

function RunLink({ runId }: { runId: string }) {
  return (
    <Link to="/runs/$runId" params={{ runId }}>
      <Mono>{runId}</Mono>
    </Link>
  );
}
