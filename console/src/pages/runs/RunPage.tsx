// One Run.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { oneRun } from "~/api/runs";
import { Page } from "~/components/Page";
import { run as text } from "~/text/en/run";
import { runs } from "~/text/en/runs";
import { StateBadge } from "~/ui/Badge";
import { ErrorNotice } from "~/ui/ErrorNotice";
import { KeyValue, Mono } from "~/ui/KeyValue";
import { Link } from "~/ui/Link";
import { Panel } from "~/ui/Panel";
import { SkeletonLines } from "~/ui/Skeleton";
import { Duration, Time } from "~/ui/Time";

const route = getRouteApi("/runs/$runId");

export function RunPage() {
  const { runId } = route.useParams();
  const { data: run, error, refetch } = useQuery(oneRun(runId));
  const title = run?.flow_id ?? runId;
  return (
    <Page
      title={title}
      above={[
        <Link key="runs" to="/runs">
          {runs.title}
        </Link>,
      ]}
    >
      {error === null ? null : <ErrorNotice error={error} onRetry={() => void refetch()} />}
      <Panel title={text.facts_title}>
        {run === undefined ? (
          <SkeletonLines />
        ) : (
          <KeyValue
            facts={[
              [text.facts.run, <Mono key="run">{run.run_id}</Mono>],
              [text.facts.state, <StateBadge key="state" state={run.waiting ? "waiting" : run.status} />],
              [text.facts.started, <Time key="started" at={run.started_at} />],
              [text.facts.took, <Duration key="took" from={run.started_at} to={run.finished_at} />],
              [text.facts.nodes, `${run.settled_node_count} / ${run.node_count}`],
              [text.facts.events, run.event_count],
            ]}
          />
        )}
      </Panel>
    </Page>
  );
}
