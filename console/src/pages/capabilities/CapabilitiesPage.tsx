// What the steps of a flow can be bound to.

import { useQuery } from "@tanstack/react-query";
import { Bot } from "lucide-react";
import { capabilities } from "~/api/capabilities";
import type { Capability } from "~/api/types";
import { Page } from "~/components/Page";
import { capabilities as text } from "~/text/en/capabilities";
import { StateBadge } from "~/ui/Badge";
import { Empty } from "~/ui/Empty";
import { Mono } from "~/ui/KeyValue";
import { Panel } from "~/ui/Panel";
import { type Column, Table } from "~/ui/Table";

const COLUMNS: readonly Column<Capability>[] = [
  {
    id: "name",
    header: text.columns.name,
    sort: (one) => one.name,
    cell: (one) => <span className="font-medium">{one.name}</span>,
  },
  { id: "kind", header: text.columns.kind, sort: (one) => one.kind, cell: (one) => one.kind },
  {
    id: "state",
    header: text.columns.state,
    sort: (one) => one.status,
    cell: (one) => <StateBadge state={one.status} />,
  },
  { id: "id", header: text.columns.id, className: "hidden sm:table-cell", cell: (one) => <Mono>{one.id}</Mono> },
];

export function CapabilitiesPage() {
  const { data, error, refetch } = useQuery(capabilities());
  return (
    <Page title={text.title} lead={text.lead}>
      <Panel title={text.list} flush>
        <Table
          label={text.list}
          columns={COLUMNS}
          rows={data?.items}
          getKey={(one) => one.id}
          error={error}
          onRetry={() => void refetch()}
          empty={
            <Empty icon={Bot} title={text.empty.title}>
              {text.empty.body}
            </Empty>
          }
        />
      </Panel>
    </Page>
  );
}
