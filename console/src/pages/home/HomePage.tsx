// What waits for somebody, what runs, what failed, and how to start something.

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Play } from "lucide-react";
import type { ReactNode } from "react";
import { type WaitingItem, waitingList } from "~/api/home";
import { runList, runWhy } from "~/api/runs";
import { taskList } from "~/api/tasks";
import type { RunSummary, Task } from "~/api/types";
import { Page } from "~/components/Page";
import { ForkMark } from "~/pages/runs/ForkMark";
import { GivenLine } from "~/pages/runs/GivenInputs";
import { nameOf } from "~/pages/tasks/named";
import { home as text } from "~/text/en/home";
import { Badge, StateBadge } from "~/ui/Badge";
import { ButtonLink } from "~/ui/Button";
import { Empty } from "~/ui/Empty";
import { ErrorNotice } from "~/ui/ErrorNotice";
import { Link } from "~/ui/Link";
import { Panel } from "~/ui/Panel";
import { SkeletonLines } from "~/ui/Skeleton";
import { Duration, Time } from "~/ui/Time";
import { StartPanel } from "./StartPanel";
import { SuggestPanel } from "./SuggestPanel";

const ACTIVE = ["running", "cancel_requested"] as const;
/** Entries of a list that is no more than a glance. */
const SHOWN = 6;
const RECENT = 8;

export function HomePage() {
  return (
    <Page title={text.title}>
      <div className="grid items-start gap-4 lg:grid-cols-3">
        <WaitingPanel />
        <RunningPanel />
        <FailedPanel />
      </div>
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
        <div className="flex min-w-0 flex-col gap-4">
          <StartPanel />
          <SuggestPanel />
        </div>
        <RecentPanel />
      </div>
    </Page>
  );
}

interface GlanceProps {
  title: string;
  count: number | undefined;
  error: unknown;
  onRetry: () => void;
  empty: string;
  actions?: ReactNode;
  children: ReactNode;
}

/** A short list in one of its four states. */
function Glance({ title, count, error, onRetry, empty, actions, children }: GlanceProps) {
  return (
    <Panel title={title} flush {...(count === undefined ? {} : { count })} actions={actions}>
      {error === null ? null : (
        <div className="p-3">
          <ErrorNotice error={error} onRetry={onRetry} />
        </div>
      )}
      {count === undefined && error === null ? <SkeletonLines lines={3} /> : null}
      {count === 0 ? <p className="px-3 py-4 text-ink-2 text-sm">{empty}</p> : null}
      {count === undefined || count === 0 ? null : <ul aria-label={title}>{children}</ul>}
    </Panel>
  );
}

function Entry({ children }: { children: ReactNode }) {
  return (
    <li className="relative flex min-w-0 items-center gap-3 border-line border-b px-3 py-2 text-sm last:border-0 focus-within:bg-hover hover:bg-hover">
      {children}
    </li>
  );
}

function WaitingPanel() {
  const { data, error, refetch } = useQuery(waitingList());
  const items = data?.items;
  return (
    <Glance
      title={text.waiting.title}
      count={items?.length}
      error={error}
      onRetry={() => void refetch()}
      empty={text.waiting.empty}
    >
      {items?.slice(0, SHOWN).map((item: WaitingItem) => (
        <Entry key={`${item.run_id} ${item.node_id}`}>
          <span className="min-w-0 flex-1">
            <Link to="/runs/$runId" params={{ runId: item.run_id }} search={{ node: item.node_id }} stretched>
              {item.title}
            </Link>
            <span className="block truncate text-ink-3 text-xs">{text.waiting.in(item.task_title)}</span>
          </span>
          <Badge tone="wait">{item.kind === "decision" ? text.waiting.decision : text.waiting.question}</Badge>
          <Time at={item.since} />
        </Entry>
      ))}
    </Glance>
  );
}

function RunningPanel() {
  const runs = useInfiniteQuery(runList({ status: ACTIVE }));
  const tasks = useInfiniteQuery(taskList({ status: "running" }));
  const activeRuns = runs.data?.pages.flatMap((page) => page.items);
  const activeTasks = tasks.data?.pages.flatMap((page) => page.items);
  const isHere = activeRuns !== undefined && activeTasks !== undefined;
  return (
    <Glance
      title={text.running.title}
      count={isHere ? activeRuns.length + activeTasks.length : undefined}
      error={runs.error ?? tasks.error}
      onRetry={() => {
        void runs.refetch();
        void tasks.refetch();
      }}
      empty={text.running.empty}
    >
      {activeRuns?.slice(0, SHOWN).map((run) => (
        <Entry key={run.run_id}>
          <StateBadge state={stateOf(run)} />
          <span className="min-w-0 flex-1">
            <RunLink run={run} />
            <span className="block text-ink-3 text-xs">
              {text.running.nodes(run.settled_node_count, run.node_count)}
            </span>
          </span>
          <Duration from={run.started_at} to={null} />
        </Entry>
      ))}
      {activeTasks?.slice(0, SHOWN).map((task) => (
        <TaskEntry key={task.task_id} task={task} />
      ))}
    </Glance>
  );
}

function FailedPanel() {
  const runs = useInfiniteQuery(runList({ status: ["failed"] }));
  const tasks = useInfiniteQuery(taskList({ status: "failed" }));
  const failedRuns = runs.data?.pages[0]?.items;
  // A judged task was seen by somebody.
  const failedTasks = tasks.data?.pages[0]?.items.filter((task) => task.resolution === "unresolved");
  const isHere = failedRuns !== undefined && failedTasks !== undefined;
  return (
    <Glance
      title={text.failed.title}
      count={isHere ? failedRuns.length + failedTasks.length : undefined}
      error={runs.error ?? tasks.error}
      onRetry={() => {
        void runs.refetch();
        void tasks.refetch();
      }}
      empty={text.failed.empty}
      actions={
        failedRuns === undefined || failedRuns.length === 0 ? undefined : (
          <Link to="/runs" search={{ status: "failed" }} className="text-xs">
            {text.failed.allRuns}
          </Link>
        )
      }
    >
      {failedRuns?.slice(0, SHOWN).map((run) => (
        <Entry key={run.run_id}>
          <StateBadge state={run.status} />
          <span className="min-w-0 flex-1">
            <RunLink run={run} />
            <Reason runId={run.run_id} />
          </span>
          <Time at={run.finished_at ?? run.started_at} />
        </Entry>
      ))}
      {failedTasks?.slice(0, SHOWN).map((task) => (
        <TaskEntry key={task.task_id} task={task} />
      ))}
    </Glance>
  );
}

/** Why a Run failed, as its page says it first. */
function Reason({ runId }: { runId: string }) {
  const [line] = useQuery(runWhy(runId)).data?.lines ?? [];
  if (line === undefined) return null;
  const said = `${line.node_id}: ${line.text}`;
  return (
    <span title={said} className="line-clamp-2 break-words text-ink-3 text-xs">
      {said}
    </span>
  );
}

function TaskEntry({ task }: { task: Task }) {
  return (
    <Entry>
      <StateBadge state={task.status} />
      <span className="min-w-0 flex-1">
        <Link to="/tasks/$taskId" params={{ taskId: task.task_id }} stretched>
          {nameOf(task)}
        </Link>
        <span className="block truncate text-ink-3 text-xs">{task.error ?? task.agent}</span>
      </span>
      {task.finished_at === null ? <Duration from={task.created_at} to={null} /> : <Time at={task.finished_at} />}
    </Entry>
  );
}

function RecentPanel() {
  const { data, error, refetch } = useInfiniteQuery(runList({}));
  const runs = data?.pages[0]?.items;
  if (runs?.length === 0) {
    return (
      <Panel title={text.recent.title} flush>
        <Empty
          icon={Play}
          title={text.nothing.title}
          action={
            <ButtonLink variant="primary" to="/flows">
              {text.start.allFlows}
            </ButtonLink>
          }
        >
          {text.nothing.body}
        </Empty>
      </Panel>
    );
  }
  return (
    <Glance
      title={text.recent.title}
      count={runs === undefined ? undefined : Math.min(runs.length, RECENT)}
      error={error}
      onRetry={() => void refetch()}
      empty=""
      actions={
        <Link to="/runs" className="text-xs">
          {text.recent.all}
        </Link>
      }
    >
      {runs?.slice(0, RECENT).map((run) => (
        <Entry key={run.run_id}>
          <StateBadge state={stateOf(run)} />
          <span className="min-w-0 flex-1">
            <span className="flex min-w-0 items-center gap-2">
              <span className="truncate">
                <RunLink run={run} />
              </span>
              <ForkMark run={run} />
            </span>
            <GivenLine runId={run.run_id} />
          </span>
          <Time at={run.started_at} />
        </Entry>
      ))}
    </Glance>
  );
}

function RunLink({ run }: { run: RunSummary }) {
  return (
    <Link to="/runs/$runId" params={{ runId: run.run_id }} stretched>
      {run.task_title === "" ? run.flow_id : run.task_title}
    </Link>
  );
}

function stateOf(run: RunSummary): string {
  return run.waiting ? "waiting" : run.status;
}
