// What runs and what ran last.

import { useInfiniteQuery } from "@tanstack/react-query";
import { Play } from "lucide-react";
import { runList } from "~/api/runs";
import { Page } from "~/components/Page";
import { home as text } from "~/text/en/home";
import { StateBadge } from "~/ui/Badge";
import { ButtonLink } from "~/ui/Button";
import { Empty } from "~/ui/Empty";
import { ErrorNotice } from "~/ui/ErrorNotice";
import { Link } from "~/ui/Link";
import { Panel } from "~/ui/Panel";
import { SkeletonLines } from "~/ui/Skeleton";
import { Time } from "~/ui/Time";

export function HomePage() {
  const { data, error, refetch } = useInfiniteQuery(runList({}));
  const runs = data?.pages[0]?.items;
  const choose = (
    <ButtonLink variant="primary" to="/flows">
      {text.start}
    </ButtonLink>
  );
  return (
    <Page title={text.title} actions={choose}>
      {error === null ? null : <ErrorNotice error={error} onRetry={() => void refetch()} />}
      <Panel title={text.recent} flush>
        {runs === undefined ? <SkeletonLines /> : null}
        {runs?.length === 0 ? (
          <Empty icon={Play} title={text.nothing.title} action={choose}>
            {text.nothing.body}
          </Empty>
        ) : null}
        <ul>
          {runs?.slice(0, 8).map((run) => (
            <li
              key={run.run_id}
              className="relative flex items-center gap-3 border-line border-b px-3 py-2 text-sm last:border-0 hover:bg-hover"
            >
              <StateBadge state={run.waiting ? "waiting" : run.status} />
              <span className="min-w-0 flex-1 truncate">
                <Link to="/runs/$runId" params={{ runId: run.run_id }} stretched>
                  {run.flow_id}
                </Link>
              </span>
              <Time at={run.started_at} />
            </li>
          ))}
        </ul>
      </Panel>
    </Page>
  );
}
