// One task: what the agent does while it does it, and what is known of it.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { oneTask, taskPrompt } from "~/api/tasks";
import type { Task } from "~/api/types";
import { Page } from "~/components/Page";
import { task as text } from "~/text/en/task";
import { tasks as list } from "~/text/en/tasks";
import { StateBadge } from "~/ui/Badge";
import { CopyButton } from "~/ui/CopyButton";
import { ErrorNotice } from "~/ui/ErrorNotice";
import { Link } from "~/ui/Link";
import { Panel } from "~/ui/Panel";
import { SkeletonLines } from "~/ui/Skeleton";
import { Tabs } from "~/ui/Tabs";
import { ActivityFeed } from "./ActivityFeed";
import { KeptAgentPanel } from "./KeptAgentPanel";
import { nameOf } from "./named";
import { isOver, TaskActions } from "./TaskActions";
import { TaskEventList } from "./TaskEventList";
import { ReceiptPanel, SettingsPanel, StopPanel, TaskFacts, UsagePanel } from "./TaskPanels";
import { useTaskEvents } from "./useTaskEvents";

const route = getRouteApi("/tasks/$taskId");
const VIEWS = ["activity", "events", "prompt"] as const;
type View = (typeof VIEWS)[number];

export function TaskPage() {
  const { taskId } = route.useParams();
  const tab = route.useSearch({ select: (search) => search.tab });
  const navigate = useNavigate();
  const { data: task, error, refetch } = useQuery(oneTask(taskId));
  const view: View = VIEWS.find((one) => one === tab) ?? "activity";
  const above = [
    <Link key="tasks" to="/tasks">
      {list.title}
    </Link>,
  ];
  if (task === undefined) {
    return (
      <Page title={taskId} above={above}>
        {error === null ? <SkeletonLines lines={8} /> : <ErrorNotice error={error} onRetry={() => void refetch()} />}
      </Page>
    );
  }
  return (
    <Page
      title={
        <>
          <span className="min-w-0 break-words">{nameOf(task)}</span>
          <StateBadge state={task.status} />
        </>
      }
      windowTitle={nameOf(task)}
      above={above}
      lead={<Lead task={task} />}
      actions={<TaskActions task={task} />}
    >
      {error === null ? null : <ErrorNotice error={error} onRetry={() => void refetch()} />}
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="flex min-w-0 flex-col gap-4">
          {task.error === null ? null : (
            <Panel title={text.error}>
              <p className="whitespace-pre-wrap break-words text-bad text-sm">{task.error}</p>
            </Panel>
          )}
          <FinalMessage task={task} />
          <What
            key={taskId}
            taskId={taskId}
            view={view}
            onView={(next) =>
              void navigate({
                to: "/tasks/$taskId",
                params: { taskId },
                search: next === "activity" ? {} : { tab: next },
                replace: true,
              })
            }
          />
        </div>
        <div className="flex min-w-0 flex-col gap-4">
          <TaskFacts task={task} />
          <KeptAgentPanel task={task} />
          <ReceiptPanel task={task} />
          <UsagePanel task={task} />
          <SettingsPanel task={task} />
          <StopPanel task={task} />
        </div>
      </div>
    </Page>
  );
}

function Lead({ task }: { task: Task }) {
  return (
    <>
      {text.title(task.agent)}. {nowOf(task)}
    </>
  );
}

/** Why it ended, or what it waits for. */
function nowOf(task: Task): string | null {
  if (task.ended_because != null) return list.because[task.ended_because] ?? task.ended_because;
  const live = task.live;
  return live === null ? null : `${list.waitsFor(list.waiting[live.waiting_for] ?? live.waiting_for)}.`;
}

function FinalMessage({ task }: { task: Task }) {
  if (!isOver(task) || (task.final_message == null && task.status !== "succeeded")) return null;
  const message = task.final_message ?? null;
  return (
    <Panel title={text.finalMessage} {...(message === null ? {} : { actions: <CopyButton value={message} /> })}>
      {message === null ? (
        <p className="text-ink-2 text-sm">{text.noFinalMessage}</p>
      ) : (
        <>
          {task.final_message_truncated === true ? <p className="mb-1 text-ink-3 text-xs">{text.truncated}</p> : null}
          <p className="whitespace-pre-wrap break-words text-sm">{message}</p>
        </>
      )}
    </Panel>
  );
}

function What({ taskId, view, onView }: { taskId: string; view: View; onView: (view: View) => void }) {
  const log = useTaskEvents(taskId);
  return (
    <Panel title={text.tabs.label} hideTitle flush>
      <Tabs
        label={text.tabs.label}
        value={view}
        onValueChange={onView}
        tabs={[
          { value: "activity", label: text.tabs.activity, content: <ActivityFeed log={log} /> },
          {
            value: "events",
            label: text.tabs.events,
            count: log.events.length,
            content: <TaskEventList log={log} />,
          },
          { value: "prompt", label: text.tabs.prompt, content: <Prompt taskId={taskId} /> },
        ]}
      />
    </Panel>
  );
}

function Prompt({ taskId }: { taskId: string }) {
  const { data, error, refetch } = useQuery(taskPrompt(taskId));
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <SkeletonLines />;
  return (
    <div className="flex items-start gap-2 p-3">
      <section aria-label={text.promptLabel} className="min-w-0 flex-1">
        <pre className="whitespace-pre-wrap break-words font-mono text-xs">{data}</pre>
      </section>
      <CopyButton value={data} />
    </div>
  );
}
