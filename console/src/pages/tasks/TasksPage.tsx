// All tasks of the channel, newest first.

import { useInfiniteQuery } from "@tanstack/react-query";
import { ListChecks } from "lucide-react";
import { taskList } from "~/api/tasks";
import type { Task } from "~/api/types";
import { Page } from "~/components/Page";
import { tasks as text } from "~/text/en/tasks";
import { StateBadge } from "~/ui/Badge";
import { Empty } from "~/ui/Empty";
import { Mono } from "~/ui/KeyValue";
import { Link } from "~/ui/Link";
import { Panel } from "~/ui/Panel";
import { type Column, Table } from "~/ui/Table";
import { Duration, Time } from "~/ui/Time";

const COLUMNS: readonly Column<Task>[] = [
  {
    id: "agent",
    header: text.columns.agent,
    cell: (task) => (
      <Link to="/tasks/$taskId" params={{ taskId: task.task_id }} stretched>
        {task.agent}
      </Link>
    ),
  },
  { id: "state", header: text.columns.state, cell: (task) => <StateBadge state={task.status} /> },
  { id: "created", header: text.columns.created, cell: (task) => <Time at={task.created_at} /> },
  {
    id: "took",
    header: text.columns.took,
    align: "right",
    cell: (task) => (task.started_at === null ? null : <Duration from={task.started_at} to={task.finished_at} />),
  },
  {
    id: "task",
    header: text.columns.task,
    className: "hidden lg:table-cell",
    cell: (task) => <Mono>{task.task_id}</Mono>,
  },
];

export function TasksPage() {
  const list = useInfiniteQuery(taskList({}));
  return (
    <Page title={text.title} lead={text.lead}>
      <Panel title={text.list} hideTitle flush>
        <Table
          label={text.list}
          columns={COLUMNS}
          rows={list.data?.pages.flatMap((page) => page.items)}
          getKey={(task) => task.task_id}
          error={list.error}
          onRetry={() => void list.refetch()}
          more={
            list.hasNextPage ? { load: () => void list.fetchNextPage(), loading: list.isFetchingNextPage } : undefined
          }
          empty={
            <Empty icon={ListChecks} title={text.empty.title}>
              {text.empty.body}
            </Empty>
          }
        />
      </Panel>
    </Page>
  );
}
