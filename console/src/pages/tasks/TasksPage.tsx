// All tasks of the channel, newest first.

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { ListChecks, Plus, Unplug } from "lucide-react";
import { useState } from "react";
import { agents } from "~/api/capabilities";
import { taskList } from "~/api/tasks";
import type { Task } from "~/api/types";
import { Page } from "~/components/Page";
import { TASK_STATUSES } from "~/routes";
import { tasks as text } from "~/text/en/tasks";
import { StateBadge, stateLabel } from "~/ui/Badge";
import { Button, ButtonLink } from "~/ui/Button";
import { Empty } from "~/ui/Empty";
import { Mono } from "~/ui/KeyValue";
import { Link } from "~/ui/Link";
import { Panel } from "~/ui/Panel";
import { Select } from "~/ui/Select";
import { type Column, Table } from "~/ui/Table";
import { Duration, Time } from "~/ui/Time";
import { DispatchDialog } from "./DispatchDialog";
import { nameOf } from "./named";

const route = getRouteApi("/tasks");
/** Stands for no filter; the kit's choice knows no empty value. */
const ANY = "";

const COLUMNS: readonly Column<Task>[] = [
  {
    id: "title",
    header: text.columns.title,
    className: "max-w-48 sm:max-w-80",
    cell: (task) => (
      <span className="flex min-w-0 flex-col">
        <Link to="/tasks/$taskId" params={{ taskId: task.task_id }} stretched>
          <span title={nameOf(task)} className="line-clamp-2 break-words">
            {nameOf(task)}
          </span>
        </Link>
        <span className="text-ink-3 text-xs">{task.agent}</span>
      </span>
    ),
  },
  { id: "state", header: text.columns.state, cell: (task) => <StateBadge state={task.status} /> },
  {
    id: "now",
    header: text.columns.now,
    className: "hidden max-w-80 md:table-cell",
    cell: (task) => <Now task={task} />,
  },
  {
    id: "judged",
    header: text.columns.judged,
    className: "hidden sm:table-cell",
    cell: (task) => (
      <span className={task.resolution === "unresolved" ? "text-ink-3" : ""}>
        {text.verdicts[task.resolution] ?? task.resolution}
      </span>
    ),
  },
  { id: "created", header: text.columns.created, cell: (task) => <Time at={task.created_at} /> },
  {
    id: "took",
    header: text.columns.took,
    align: "right",
    className: "hidden sm:table-cell",
    cell: (task) => (task.started_at === null ? null : <Duration from={task.started_at} to={task.finished_at} />),
  },
  {
    id: "task",
    header: text.columns.task,
    className: "hidden xl:table-cell",
    cell: (task) => <Mono>{task.task_id}</Mono>,
  },
];

/** What a task does now, or what it said at its end. */
function Now({ task }: { task: Task }) {
  const call = task.live?.open_tool_call ?? null;
  if (call !== null) return <span className="block truncate font-mono text-xs">{call.title}</span>;
  const live = task.live;
  if (live !== null) return <>{text.waitsFor(text.waiting[live.waiting_for] ?? live.waiting_for)}</>;
  return task.error === null ? null : (
    <span title={task.error} className="block truncate text-ink-2">
      {task.error}
    </span>
  );
}

export function TasksPage() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const [dispatches, setDispatches] = useState(false);
  const list = useInfiniteQuery(taskList({ status: search.status, agent: search.agent }));
  const known = useQuery(agents()).data?.items ?? [];
  const isFiltered = search.status !== undefined || search.agent !== undefined;
  const filter = (change: { status?: string; agent?: string }) =>
    void navigate({
      to: "/tasks",
      search: (held) =>
        Object.fromEntries(Object.entries({ ...held, ...change }).filter(([, value]) => value !== ANY)) as never,
      replace: true,
    });
  const start = (
    <Button variant="primary" icon={Plus} onClick={() => setDispatches(true)}>
      {text.dispatch}
    </Button>
  );
  const actions = (
    <>
      <ButtonLink icon={Unplug} to="/kept-agents">
        {text.kept.title}
      </ButtonLink>
      {start}
    </>
  );

  return (
    <Page title={text.title} lead={text.lead} actions={actions}>
      <div className="flex flex-wrap gap-3">
        <Select
          label={text.filter.state}
          className="w-44"
          options={[
            { value: ANY, label: text.filter.anyState },
            ...TASK_STATUSES.map((status) => ({ value: status as string, label: stateLabel(status) })),
          ]}
          value={search.status ?? ANY}
          onValueChange={(status) => filter({ status })}
        />
        <Select
          label={text.filter.agent}
          className="w-44"
          options={[
            { value: ANY, label: text.filter.anyAgent },
            ...known.map(({ agent }) => ({ value: agent, label: agent })),
          ]}
          value={search.agent ?? ANY}
          onValueChange={(agent) => filter({ agent })}
        />
      </div>
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
            isFiltered ? (
              <Empty
                icon={ListChecks}
                title={text.noMatch.title}
                action={
                  <ButtonLink to="/tasks" search={{}}>
                    {text.noMatch.action}
                  </ButtonLink>
                }
              >
                {text.noMatch.body}
              </Empty>
            ) : (
              <Empty icon={ListChecks} title={text.empty.title} action={start}>
                {text.empty.body}
              </Empty>
            )
          }
        />
      </Panel>
      {dispatches ? <DispatchDialog onClose={() => setDispatches(false)} /> : null}
    </Page>
  );
}
