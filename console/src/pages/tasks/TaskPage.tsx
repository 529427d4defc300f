// One task of the channel.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { oneTask } from "~/api/tasks";
import { Page } from "~/components/Page";
import { tasks as text } from "~/text/en/tasks";
import { ErrorNotice } from "~/ui/ErrorNotice";
import { JsonView } from "~/ui/JsonView";
import { Link } from "~/ui/Link";
import { Panel } from "~/ui/Panel";
import { SkeletonLines } from "~/ui/Skeleton";

const route = getRouteApi("/tasks/$taskId");

export function TaskPage() {
  const { taskId } = route.useParams();
  const { data, error, refetch } = useQuery(oneTask(taskId));
  return (
    <Page
      title={data?.agent ?? taskId}
      above={[
        <Link key="tasks" to="/tasks">
          {text.title}
        </Link>,
      ]}
    >
      {error === null ? null : <ErrorNotice error={error} onRetry={() => void refetch()} />}
      <Panel title={text.record}>
        {data === undefined ? <SkeletonLines /> : <JsonView label={text.record} value={data} />}
      </Panel>
    </Page>
  );
}
