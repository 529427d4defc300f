// All agents that are kept after a turn, and turns that will keep theirs.

import { useQuery } from "@tanstack/react-query";
import { Unplug } from "lucide-react";
import { idleSince, type KeptAgent, keptAgents } from "~/api/tasks";
import { Page } from "~/components/Page";
import { task } from "~/text/en/task";
import { tasks } from "~/text/en/tasks";
import { ButtonLink } from "~/ui/Button";
import { Empty } from "~/ui/Empty";
import { Mono } from "~/ui/KeyValue";
import { Link } from "~/ui/Link";
import { Panel } from "~/ui/Panel";
import { type Column, Table } from "~/ui/Table";
import { Time } from "~/ui/Time";
import { KeptActions } from "./KeptActions";

const text = tasks.kept;

const COLUMNS: readonly Column<KeptAgent>[] = [
  {
    id: "agent",
    header: text.columns.agent,
    sort: (one) => one.agent,
    cell: (one) => (
      <span className="flex flex-col">
        <span className="font-medium">{one.agent}</span>
        <span className="text-ink-3 text-xs">{task.kept.states[one.state] ?? one.state}</span>
        <span className="text-ink-3 text-xs sm:hidden">
          <At moment={idleSince(one)} />
        </span>
      </span>
    ),
  },
  {
    id: "session",
    header: text.columns.session,
    className: "hidden max-w-56 lg:table-cell",
    cell: (one) => (one.session_id === null ? null : <Mono cut>{one.session_id}</Mono>),
  },
  {
    id: "idle",
    header: text.columns.idle,
    className: "hidden sm:table-cell",
    sort: (one) => idleSince(one),
    cell: (one) => <At moment={idleSince(one)} />,
  },
  {
    id: "ends",
    header: text.columns.ends,
    className: "hidden sm:table-cell",
    sort: (one) => one.expires_at,
    cell: (one) => <At moment={one.expires_at} />,
  },
  {
    id: "turns",
    header: text.columns.turns,
    align: "right",
    className: "hidden sm:table-cell",
    cell: (one) => one.turns_left,
  },
  {
    id: "task",
    header: text.columns.task,
    cell: (one) => (
      <Link to="/tasks/$taskId" params={{ taskId: one.task_id }}>
        <Mono>{one.task_id.slice(0, 13)}</Mono>
      </Link>
    ),
  },
  {
    id: "actions",
    header: text.columns.actions,
    cell: (one) =>
      one.state !== "kept" ? null : one.here ? (
        <KeptActions handle={one.handle} agent={one.agent} />
      ) : (
        <span className="text-ink-3 text-xs">{text.elsewhere}</span>
      ),
  },
];

function At({ moment }: { moment: string | null }) {
  return moment === null ? null : <Time at={moment} />;
}

export function KeptAgentsPage() {
  const { data, error, refetch } = useQuery(keptAgents());
  return (
    <Page
      title={text.title}
      lead={text.lead}
      above={[
        <Link key="tasks" to="/tasks">
          {tasks.title}
        </Link>,
      ]}
    >
      <Panel title={text.title} hideTitle flush>
        <Table
          label={text.title}
          columns={COLUMNS}
          rows={data?.items}
          getKey={(one) => one.handle}
          error={error}
          onRetry={() => void refetch()}
          empty={
            <Empty
              icon={Unplug}
              title={text.empty.title}
              action={<ButtonLink to="/tasks">{text.empty.action}</ButtonLink>}
            >
              {text.empty.body}
            </Empty>
          }
        />
      </Panel>
    </Page>
  );
}
