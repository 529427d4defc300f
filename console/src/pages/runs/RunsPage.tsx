// All Runs, newest first.

import { useInfiniteQuery } from "@tanstack/react-query";
import { Play } from "lucide-react";
import { runList } from "~/api/runs";
import type { RunSummary } from "~/api/types";
import { Page } from "~/components/Page";
import { runs as text } from "~/text/en/runs";
import { StateBadge } from "~/ui/Badge";
import { ButtonLink } from "~/ui/Button";
import { Empty } from "~/ui/Empty";
import { Mono } from "~/ui/KeyValue";
import { Link } from "~/ui/Link";
import { Panel } from "~/ui/Panel";
import { type Column, Table } from "~/ui/Table";
import { Duration, Time } from "~/ui/Time";

const COLUMNS: readonly Column<RunSummary>[] = [
  {
    id: "flow",
    header: text.columns.flow,
    cell: (run) => (
      <Link to="/runs/$runId" params={{ runId: run.run_id }} stretched>
        {run.flow_id}
      </Link>
    ),
  },
  {
    id: "state",
    header: text.columns.state,
    cell: (run) => <StateBadge state={run.waiting ? "waiting" : run.status} />,
  },
  {
    id: "progress",
    header: text.columns.progress,
    align: "right",
    className: "hidden sm:table-cell",
    cell: (run) => `${run.settled_node_count} / ${run.node_count}`,
  },
  { id: "started", header: text.columns.started, cell: (run) => <Time at={run.started_at} /> },
  {
    id: "took",
    header: text.columns.took,
    align: "right",
    className: "hidden sm:table-cell",
    cell: (run) => <Duration from={run.started_at} to={run.finished_at} />,
  },
  {
    id: "run",
    header: text.columns.run,
    className: "hidden lg:table-cell",
    cell: (run) => <Mono>{run.run_id}</Mono>,
  },
];

export function RunsPage() {
  const list = useInfiniteQuery(runList({}));
  return (
    <Page title={text.title} lead={text.lead}>
      <Panel title={text.list} hideTitle flush>
        <Table
          label={text.list}
          columns={COLUMNS}
          rows={list.data?.pages.flatMap((page) => page.items)}
          getKey={(run) => run.run_id}
          error={list.error}
          onRetry={() => void list.refetch()}
          more={
            list.hasNextPage ? { load: () => void list.fetchNextPage(), loading: list.isFetchingNextPage } : undefined
          }
          empty={
            <Empty
              icon={Play}
              title={text.empty.title}
              action={
                <ButtonLink variant="primary" to="/flows">
                  {text.empty.action}
                </ButtonLink>
              }
            >
              {text.empty.body}
            </Empty>
          }
        />
      </Panel>
    </Page>
  );
}
