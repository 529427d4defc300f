// The report at a glance: the flow, its Runs, and how they compare.

import { useQueries, useQuery } from "@tanstack/react-query";
import { FileQuestion } from "lucide-react";
import { runComparison } from "~/api/comparison";
import { oneRun } from "~/api/runs";
import type { RunSummary } from "~/api/types";
import { Page } from "~/components/Page";
import { GivenInputs } from "~/pages/runs/GivenInputs";
import { Artifacts } from "~/pages/runs/run/Artifacts";
import { Why } from "~/pages/runs/run/Why";
import { report as text } from "~/text/en/report";
import { StateBadge } from "~/ui/Badge";
import { Empty } from "~/ui/Empty";
import { ErrorNotice } from "~/ui/ErrorNotice";
import { KeyValue, Mono } from "~/ui/KeyValue";
import { Link } from "~/ui/Link";
import { Panel } from "~/ui/Panel";
import { SkeletonLines } from "~/ui/Skeleton";
import { Duration } from "~/ui/Time";
import { bytes, exact } from "~/ui/time";
import type { Island } from "./island";

export function ReportHome({ island }: { island: Island | null }) {
  if (island === null) {
    return (
      <Page title={text.title}>
        <Empty icon={FileQuestion} title={text.empty.title}>
          {text.empty.body}
        </Empty>
      </Page>
    );
  }
  return <Overview island={island} />;
}

function Overview({ island }: { island: Island }) {
  const found = useQueries({ queries: island.run_ids.map((runId) => oneRun(runId)) });
  const [left, right] = island.run_ids;
  return (
    <Page title={text.title} lead={text.lead(island.segue, exact(island.made_at).slice(0, 19))}>
      <LeftOut island={island} />
      {left !== undefined && right !== undefined ? <Verdict left={left} right={right} /> : null}
      <div className="grid gap-4 lg:grid-cols-2">
        {found.map(({ data, error }, at) => (
          <Panel key={island.run_ids[at]} title={text.run(at + 1)}>
            {data !== undefined ? (
              <RunCard run={data} />
            ) : error !== null ? (
              <ErrorNotice error={error} />
            ) : (
              <SkeletonLines />
            )}
          </Panel>
        ))}
      </div>
      <p className="text-ink-3 text-sm">{text.readOnly}</p>
    </Page>
  );
}

/** What the page has no room for, and where it is. */
function LeftOut({ island: { left_out: counts, kept_in: file, room } }: { island: Island }) {
  const words = text.leftOut;
  const kinds = (["nodes", "events", "artifacts", "others"] as const).filter((kind) => counts[kind] > 0);
  if (kinds.length === 0) return null;
  return (
    <section aria-label={words.title} className="rounded-lg bg-wait-soft px-3 py-2.5 text-sm">
      <h2 className="font-semibold text-wait">{words.title}</h2>
      <p>{words.body(bytes(room), file)}</p>
      <ul className="list-disc pl-5">
        {kinds.map((kind) => (
          <li key={kind}>{words[kind](counts[kind])}</li>
        ))}
      </ul>
    </section>
  );
}

function Verdict({ left, right }: { left: string; right: string }) {
  const { data } = useQuery(runComparison(left, right));
  if (data === undefined) return null;
  return (
    <p className="text-sm">
      <span className="text-ink-3">{text.facts.comparison}: </span>
      <Link to="/compare" search={{ a: left, b: right }}>
        {data.overall === "equivalent" ? text.equivalent : `${text.diverged}: ${data.first_divergent_node_id}`}
      </Link>
    </p>
  );
}

function RunCard({ run }: { run: RunSummary }) {
  return (
    <div className="flex flex-col gap-3">
      <div className="flex items-center gap-2">
        <Link to="/runs/$runId" params={{ runId: run.run_id }}>
          {run.flow_id}
        </Link>
        <StateBadge state={run.waiting ? "waiting" : run.status} />
      </div>
      <KeyValue
        facts={[
          [text.facts.nodes, `${run.settled_node_count} / ${run.node_count}`],
          [text.facts.events, run.event_count],
          [text.facts.took, <Duration key="took" from={run.started_at} to={run.finished_at} />],
          [text.flow, <Mono key="hash">{run.flow_hash}</Mono>],
        ]}
      />
      <GivenInputs runId={run.run_id} heading="h3" />
      <Why run={run} />
      <Artifacts runId={run.run_id} />
    </div>
  );
}
