// One Run, live and replayable: its graph, timeline and full history, and beside them all evidence of the chosen node.
// What is looked at stands in the address: node, tab, view, and the event at which the Run is shown.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Activity, GitCompare } from "lucide-react";
import { lazy, Suspense, useEffect } from "react";
import { isRecorded } from "~/api/recorded";
import { runDetail } from "~/api/runs";
import type { RunSummary } from "~/api/types";
import { Page } from "~/components/Page";
import { run as text } from "~/text/en/run";
import { runs } from "~/text/en/runs";
import { StateBadge } from "~/ui/Badge";
import { ButtonLink } from "~/ui/Button";
import { ErrorNotice } from "~/ui/ErrorNotice";
import { Mono } from "~/ui/KeyValue";
import { Link } from "~/ui/Link";
import { SkeletonLines } from "~/ui/Skeleton";
import { Splitter } from "~/ui/Splitter";
import { Tabs } from "~/ui/Tabs";
import { Duration, Time } from "~/ui/Time";
import type { RunGraph as Graph } from "./run/graph";
import { NodePanel } from "./run/NodePanel";
import { Playback } from "./run/Playback";
import { ReplayButton } from "./run/ReplayButton";
import { RunHistory } from "./run/RunHistory";
import { RunPanel } from "./run/RunPanel";
import { RunTimeline } from "./run/RunTimeline";
import { StopButton } from "./run/StopButton";
import { isActive, type RunRecord, useRunRecord } from "./run/useRunRecord";

const RunGraph = lazy(() => import("./run/RunGraph"));

const route = getRouteApi("/runs/$runId");

export function RunPage() {
  const { runId } = route.useParams();
  // Another Run is another page: nothing of this one may show in it.
  return <OneRun key={runId} runId={runId} />;
}

function OneRun({ runId }: { runId: string }) {
  const { at } = route.useSearch();
  const record = useRunRecord(runId, at);
  const { run, graph, error, retry } = record;
  return (
    <Page
      fill="wide"
      windowTitle={run === undefined ? runId : `${run.flow_id} ${runId.slice(0, 8)}`}
      title={run === undefined ? runId : <Title run={run} />}
      above={[
        <Link key="runs" to="/runs">
          {runs.title}
        </Link>,
      ]}
      lead={run === undefined ? undefined : <Lead run={run} />}
      actions={run === undefined ? undefined : <Actions run={run} graph={graph} />}
    >
      {error === null || error === undefined ? null : (
        <div className="flex flex-col items-start gap-3 px-4 pb-3 sm:px-6">
          <ErrorNotice error={error} onRetry={retry} />
          {run !== undefined || isRecorded() ? null : <ButtonLink to="/runs">{text.allRuns}</ButtonLink>}
        </div>
      )}
      {run !== undefined && graph !== undefined ? (
        <Evidence record={{ ...record, run, graph }} />
      ) : error === null || error === undefined ? (
        <SkeletonLines lines={8} />
      ) : null}
    </Page>
  );
}

function Title({ run }: { run: RunSummary }) {
  const { data: detail } = useQuery(runDetail(run.run_id));
  return (
    <>
      <span className="min-w-0 truncate" title={run.flow_id}>
        {detail?.flow_title || run.flow_id}
      </span>
      <StateBadge state={run.waiting ? "waiting" : run.status} />
    </>
  );
}

function Lead({ run }: { run: RunSummary }) {
  return (
    <span className="flex flex-wrap items-center gap-x-3">
      <Mono cut>{run.run_id}</Mono>
      <Time at={run.started_at} />
      <Duration from={run.started_at} to={run.finished_at} />
      <span>
        {run.settled_node_count} / {run.node_count} {text.facts.nodes.toLowerCase()}
      </span>
    </span>
  );
}

function Actions({ run, graph }: { run: RunSummary; graph: Graph | undefined }) {
  if (isRecorded()) return null;
  return (
    <>
      {isActive(run) ? <StopButton run={run} /> : <ReplayButton run={run} graph={graph} />}
      <ButtonLink icon={GitCompare} to="/compare" search={{ a: run.parent_run_id ?? undefined, b: run.run_id }}>
        {text.actions.compare}
      </ButtonLink>
      <ButtonLink
        icon={Activity}
        to="/stability/$taskId/$flowHash"
        params={{ taskId: run.task_id, flowHash: run.flow_hash }}
      >
        {text.actions.stability}
      </ButtonLink>
    </>
  );
}

function Evidence({ record }: { record: RunRecord & { run: RunSummary; graph: Graph } }) {
  const { run, graph, moment, log, logState } = record;
  const { node: nodeId, view = "compact", tab = "overview", at } = route.useSearch();
  const navigate = route.useNavigate();
  const node = graph.nodes.find((one) => one.id === nodeId);

  const until = record.isNow ? null : log.event(moment.sequence)?.recorded_at;

  const select = (id: string | undefined) =>
    void navigate({ search: (held) => ({ ...held, node: id, tab: undefined }) });
  // Going through events leaves no trail of addresses behind it. Where things are scrolled to is left alone: the router
  // would put the strip of events back to where it was.
  const move = (to: number | undefined) =>
    void navigate({ search: (held) => ({ ...held, at: to }), replace: true, resetScroll: false });

  useEffect(() => {
    if (at !== undefined) void log.need(1, at);
  }, [log, at]);

  return (
    <div className="flex min-h-0 flex-1 flex-col border-line border-t">
      <Splitter
        name="run"
        first={
          <>
            <Tabs
              fill
              label={text.views.label}
              value={view}
              onValueChange={(next) =>
                void navigate({ search: (held) => ({ ...held, view: next === "compact" ? undefined : next }) })
              }
              tabs={[
                {
                  value: "compact",
                  label: text.views.compact,
                  content: (
                    <Suspense fallback={<SkeletonLines lines={6} />}>
                      <RunGraph graph={graph} moment={moment} selected={nodeId} onSelect={select} />
                    </Suspense>
                  ),
                },
                {
                  value: "timeline",
                  label: text.views.timeline,
                  content: (
                    <RunTimeline
                      graph={graph}
                      moment={moment}
                      startedAt={run.started_at}
                      finishedAt={until ?? run.finished_at}
                      selected={nodeId}
                      onSelect={select}
                    />
                  ),
                },
                {
                  value: "history",
                  label: text.views.history,
                  content: <RunHistory log={log} state={logState} at={at} onMove={move} />,
                },
              ]}
            />
            <Playback log={log} state={logState} at={at} onMove={move} />
          </>
        }
        second={
          node === undefined ? (
            <RunPanel record={record} onSelect={select} />
          ) : (
            <NodePanel
              key={node.id}
              record={record}
              node={node}
              tab={tab}
              onTab={(next) =>
                void navigate({ search: (held) => ({ ...held, tab: next === "overview" ? undefined : next }) })
              }
              at={at}
              onMove={move}
              onClose={() => select(undefined)}
            />
          )
        }
      />
    </div>
  );
}
