// The ways to start something: a saved flow, a new one, a task.

import { useQuery } from "@tanstack/react-query";
import { Play, Plus, Send } from "lucide-react";
import { useState } from "react";
import { savedFlows } from "~/api/flows";
import { DispatchDialog } from "~/pages/tasks/DispatchDialog";
import { home } from "~/text/en/home";
import { Button, ButtonLink } from "~/ui/Button";
import { ErrorNotice } from "~/ui/ErrorNotice";
import { Link } from "~/ui/Link";
import { Panel } from "~/ui/Panel";
import { SkeletonLines } from "~/ui/Skeleton";
import { Time } from "~/ui/Time";

const text = home.start;
const SHOWN = 4;

export function StartPanel() {
  const [dispatches, setDispatches] = useState(false);
  const { data, error, refetch } = useQuery(savedFlows());
  return (
    <Panel
      title={text.title}
      flush
      actions={
        <Link to="/flows" className="text-xs">
          {text.allFlows}
        </Link>
      }
    >
      {error === null ? null : (
        <div className="p-3">
          <ErrorNotice error={error} onRetry={() => void refetch()} />
        </div>
      )}
      {data === undefined && error === null ? <SkeletonLines lines={3} /> : null}
      {data?.length === 0 ? <p className="px-3 py-3 text-ink-2 text-sm">{text.noFlows}</p> : null}
      <ul aria-label={text.flows}>
        {data?.slice(0, SHOWN).map((flow) => (
          <li
            key={flow.flow_id}
            className="flex min-w-0 items-center gap-3 border-line border-b px-3 py-2 text-sm hover:bg-hover"
          >
            <span className="min-w-0 flex-1">
              <Link to="/flows/$flowId" params={{ flowId: flow.flow_id }}>
                {flow.name}
              </Link>
              <span className="block truncate text-ink-3 text-xs">{flow.description}</span>
            </span>
            <span className="hidden text-ink-3 text-xs sm:block">
              <Time at={flow.updated_at} />
            </span>
            <ButtonLink
              size="sm"
              icon={Play}
              to="/flows/$flowId"
              params={{ flowId: flow.flow_id }}
              search={{ view: "run" }}
              aria-label={text.run(flow.name)}
            >
              {text.runShort}
            </ButtonLink>
          </li>
        ))}
      </ul>
      <div className="flex flex-wrap gap-2 p-3">
        <ButtonLink icon={Plus} to="/flows/new">
          {text.newFlow}
        </ButtonLink>
        <Button icon={Send} onClick={() => setDispatches(true)}>
          {text.task}
        </Button>
      </div>
      {dispatches ? <DispatchDialog onClose={() => setDispatches(false)} /> : null}
    </Panel>
  );
}
