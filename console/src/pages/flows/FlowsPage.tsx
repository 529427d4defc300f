// Saved flows.

import { useQuery } from "@tanstack/react-query";
import { Plus, Workflow } from "lucide-react";
import { savedFlows } from "~/api/flows";
import type { SavedFlow } from "~/api/types";
import { Page } from "~/components/Page";
import { flows as text } from "~/text/en/flows";
import { ButtonLink } from "~/ui/Button";
import { Empty } from "~/ui/Empty";
import { Mono } from "~/ui/KeyValue";
import { Link } from "~/ui/Link";
import { Panel } from "~/ui/Panel";
import { type Column, Table } from "~/ui/Table";
import { Time } from "~/ui/Time";

const COLUMNS: readonly Column<SavedFlow>[] = [
  {
    id: "name",
    header: text.columns.name,
    sort: (flow) => flow.name,
    cell: (flow) => (
      <Link to="/flows/$flowId" params={{ flowId: flow.flow_id }} stretched>
        {flow.name}
      </Link>
    ),
  },
  { id: "id", header: text.columns.id, className: "hidden sm:table-cell", cell: (flow) => <Mono>{flow.flow_id}</Mono> },
  {
    id: "changed",
    header: text.columns.changed,
    sort: (flow) => flow.updated_at,
    cell: (flow) => <Time at={flow.updated_at} />,
  },
];

export function FlowsPage() {
  const { data, error, refetch } = useQuery(savedFlows());
  const add = (
    <ButtonLink variant="primary" icon={Plus} to="/flows/new">
      {text.new}
    </ButtonLink>
  );
  return (
    <Page title={text.title} lead={text.lead} actions={add}>
      <Panel title={text.list} hideTitle flush>
        <Table
          label={text.list}
          columns={COLUMNS}
          rows={data}
          getKey={(flow) => flow.flow_id}
          error={error}
          onRetry={() => void refetch()}
          empty={
            <Empty icon={Workflow} title={text.empty.title} action={add}>
              {text.empty.body}
            </Empty>
          }
        />
      </Panel>
    </Page>
  );
}
