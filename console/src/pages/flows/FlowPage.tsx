// One saved flow.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { savedFlow } from "~/api/flows";
import { Page } from "~/components/Page";
import { flow as text } from "~/text/en/flow";
import { flows } from "~/text/en/flows";
import { ErrorNotice } from "~/ui/ErrorNotice";
import { JsonView } from "~/ui/JsonView";
import { Link } from "~/ui/Link";
import { Panel } from "~/ui/Panel";
import { SkeletonLines } from "~/ui/Skeleton";

const route = getRouteApi("/flows/$flowId");

export function FlowPage() {
  const { flowId } = route.useParams();
  const { data, error, refetch } = useQuery(savedFlow(flowId));
  return (
    <Page
      title={data?.name ?? flowId}
      above={[
        <Link key="flows" to="/flows">
          {flows.title}
        </Link>,
      ]}
    >
      {error === null ? null : <ErrorNotice error={error} onRetry={() => void refetch()} />}
      <Panel title={text.document}>
        {data === undefined ? <SkeletonLines /> : <JsonView label={text.document} value={data.flow} open={3} />}
      </Panel>
    </Page>
  );
}
