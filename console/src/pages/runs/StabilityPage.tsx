// How stable each node of a flow is over its Runs. No Run, one Run and many are different things to say, and so are
// loading and not being able to tell.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Activity } from "lucide-react";
import { lazy, Suspense } from "react";
import { runStability } from "~/api/comparison";
import type { RunStabilityReport } from "~/api/types";
import { Page } from "~/components/Page";
import { runs } from "~/text/en/runs";
import { stability as text } from "~/text/en/stability";
import { Badge, StateBadge } from "~/ui/Badge";
import { ButtonLink } from "~/ui/Button";
import { Empty } from "~/ui/Empty";
import { ErrorNotice } from "~/ui/ErrorNotice";
import { KeyValue, Mono } from "~/ui/KeyValue";
import { Link } from "~/ui/Link";
import { Panel } from "~/ui/Panel";
import { SkeletonLines } from "~/ui/Skeleton";
import { type Column, Table } from "~/ui/Table";
import type { Tone } from "~/ui/tones";

const Chart = lazy(() => import("./stability/Chart"));

const route = getRouteApi("/stability/$taskId/$flowHash");

type Node = RunStabilityReport["nodes"][number];

const TONES: Readonly<Record<string, Tone>> = {
  not_observed: "idle",
  insufficient_evidence: "idle",
  stable_success: "ok",
  repeated_failure: "bad",
  unstable: "wait",
};

const COLUMNS: readonly Column<Node>[] = [
  {
    id: "node",
    header: text.columns.node,
    sort: (node) => node.node_id,
    cell: (node) => <span className="font-medium">{node.node_id}</span>,
  },
  {
    id: "classification",
    header: text.columns.classification,
    sort: (node) => node.classification,
    cell: (node) => (
      <Badge tone={TONES[node.classification] ?? "idle"}>
        {text.classifications[node.classification] ?? node.classification}
      </Badge>
    ),
  },
  {
    id: "observed",
    header: text.columns.observed,
    align: "right",
    sort: (node) => node.observed_run_count,
    cell: (node) => node.observed_run_count,
  },
  {
    id: "succeeded",
    header: text.columns.succeeded,
    align: "right",
    sort: (node) => node.succeeded_count,
    cell: (node) => node.succeeded_count,
  },
  {
    id: "failed",
    header: text.columns.failed,
    align: "right",
    sort: (node) => node.failure_count,
    cell: (node) => node.failure_count,
  },
  {
    id: "latest",
    header: text.columns.latest,
    className: "hidden sm:table-cell",
    cell: (node) => (node.latest_status === null ? "" : <StateBadge state={node.latest_status} />),
  },
  {
    id: "executors",
    header: text.columns.executors,
    className: "hidden lg:table-cell",
    cell: (node) =>
      node.executors.map((executor) => (
        <Mono key={executor.executor_id + executor.version}>{`${executor.executor_id} ${executor.version}`}</Mono>
      )),
  },
];

export function StabilityPage() {
  const { taskId, flowHash } = route.useParams();
  const { data, error, isPending, refetch } = useQuery(runStability(taskId, flowHash));
  return (
    <Page
      title={text.title}
      lead={text.lead}
      above={[
        <Link key="runs" to="/runs">
          {runs.title}
        </Link>,
      ]}
    >
      {isPending ? <SkeletonLines lines={8} /> : null}
      {error === null ? null : <ErrorNotice title={text.unavailable} error={error} onRetry={() => void refetch()} />}
      {data === undefined ? null : data.comparable_run_count === 0 ? (
        <Empty icon={Activity} title={text.zero.title} action={<ButtonLink to="/runs">{text.zero.action}</ButtonLink>}>
          {text.zero.body}
        </Empty>
      ) : (
        <Report report={data} />
      )}
    </Page>
  );
}

function Report({ report }: { report: RunStabilityReport }) {
  const count = report.comparable_run_count;
  return (
    <>
      <p role="status" className="text-sm">
        {count === 1 ? text.one : text.many(count)}
      </p>
      {count === 1 ? null : (
        <Panel title={text.chart}>
          <Suspense fallback={<SkeletonLines lines={6} />}>
            <Chart nodes={report.nodes} />
          </Suspense>
        </Panel>
      )}
      <Panel title={text.nodes} count={report.nodes.length} flush>
        <Table label={text.nodes} columns={COLUMNS} rows={report.nodes} getKey={(node) => node.node_id} empty={null} />
      </Panel>
      <Panel title={text.runs} count={count}>
        <ul className="flex flex-wrap gap-x-4 gap-y-1">
          {report.run_ids.map((runId) => (
            <li key={runId}>
              <Link to="/runs/$runId" params={{ runId }}>
                <Mono>{runId}</Mono>
              </Link>
            </li>
          ))}
        </ul>
      </Panel>
      <KeyValue
        facts={[
          [text.facts.task, <Mono key="task">{report.task_id}</Mono>],
          [text.facts.hash, <Mono key="hash">{report.flow_hash}</Mono>],
        ]}
      />
    </>
  );
}
