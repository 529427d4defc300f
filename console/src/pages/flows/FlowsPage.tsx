// The library of saved flows.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { Copy, Ellipsis, FileUp, Play, Plus, Search, Trash2, Workflow } from "lucide-react";
import { useState } from "react";
import { savedFlows } from "~/api/flows";
import type { SavedFlow } from "~/api/types";
import { type Format, isRecord, textOf } from "~/canvas/document";
import { Page } from "~/components/Page";
import { flows } from "~/text/en/flows";
import { ButtonLink, IconButton } from "~/ui/Button";
import { Empty } from "~/ui/Empty";
import { TextField } from "~/ui/Field";
import { Mono } from "~/ui/KeyValue";
import { Link } from "~/ui/Link";
import { Menu } from "~/ui/Menu";
import { Panel } from "~/ui/Panel";
import { type Column, Table } from "~/ui/Table";
import { Time } from "~/ui/Time";
import { toast } from "~/ui/Toast";
import { DeleteFlow } from "./DeleteFlow";
import { download } from "./files";
import { duplicateFlow, fetchFlow } from "./library";

const text = flows.savedFlows;
const route = getRouteApi("/flows");

const portable = ({ flow }: SavedFlow) => textOf(flow.id) ?? "";
const steps = ({ flow }: SavedFlow) => (Array.isArray(flow.steps) ? flow.steps.length : 0);
const inputs = ({ flow }: SavedFlow) => (isRecord(flow.inputs) ? Object.keys(flow.inputs).length : 0);

const COLUMNS: readonly Column<SavedFlow>[] = [
  {
    id: "name",
    header: text.columns.name,
    sort: (flow) => flow.name.toLowerCase(),
    cell: (flow) => (
      <span className="block min-w-0">
        <Link to="/flows/$flowId" params={{ flowId: flow.flow_id }} stretched>
          {flow.name}
        </Link>
        <span className="hidden max-w-[60ch] truncate text-ink-3 text-xs sm:block">{flow.description}</span>
      </span>
    ),
  },
  {
    id: "id",
    header: text.columns.id,
    className: "hidden md:table-cell",
    sort: portable,
    cell: (flow) => <Mono>{portable(flow)}</Mono>,
  },
  { id: "steps", header: text.columns.steps, align: "right", sort: steps, cell: steps },
  {
    id: "inputs",
    header: text.columns.inputs,
    align: "right",
    className: "hidden sm:table-cell",
    sort: inputs,
    cell: inputs,
  },
  {
    id: "updated",
    header: text.columns.updated,
    className: "hidden sm:table-cell",
    sort: (flow) => flow.updated_at,
    cell: (flow) => <Time at={flow.updated_at} />,
  },
];

export function FlowsPage() {
  const { text: wanted = "" } = route.useSearch();
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery(savedFlows());
  const [deleting, setDeleting] = useState<SavedFlow | null>(null);
  const matching = data?.filter((flow) => matches(flow, wanted));
  const search = (query: string) =>
    void navigate({ to: "/flows", search: query ? { text: query } : {}, replace: true });
  const actions: Column<SavedFlow> = {
    id: "actions",
    header: "",
    align: "right",
    cell: (flow) => <Actions flow={flow} onDelete={() => setDeleting(flow)} />,
  };
  const add = (
    <>
      <ButtonLink icon={FileUp} to="/flows/new" search={{ template: "file" }}>
        {text.fromFile}
      </ButtonLink>
      <ButtonLink variant="primary" icon={Plus} to="/flows/new">
        {text.newFlow}
      </ButtonLink>
    </>
  );
  const empty =
    data !== undefined && data.length > 0 ? (
      <Empty
        icon={Search}
        title={text.noMatch(wanted)}
        action={
          <ButtonLink to="/flows" search={{}}>
            {text.showAll}
          </ButtonLink>
        }
      >
        {text.noMatchBody}
      </Empty>
    ) : (
      <Empty icon={Workflow} title={text.none} action={add}>
        {text.noneBody}
      </Empty>
    );
  return (
    <Page title={text.title} lead={text.lead} actions={add}>
      <div className="max-w-md">
        <TextField
          label={text.search}
          hideLabel
          type="search"
          placeholder={text.searchHint}
          value={wanted}
          onValueChange={search}
        />
      </div>
      <Panel title={text.label} hideTitle flush>
        <Table
          label={text.label}
          columns={[...COLUMNS, actions]}
          rows={matching}
          getKey={(flow) => flow.flow_id}
          error={error}
          onRetry={() => void refetch()}
          empty={empty}
        />
      </Panel>
      <DeleteFlow flow={deleting} onClose={() => setDeleting(null)} />
    </Page>
  );
}

function matches(flow: SavedFlow, wanted: string): boolean {
  const words = wanted.toLowerCase().split(/\s+/);
  const said = `${flow.name} ${portable(flow)} ${flow.description} ${flow.flow_id}`.toLowerCase();
  return words.every((word) => said.includes(word));
}

function Actions({ flow, onDelete }: { flow: SavedFlow; onDelete: () => void }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const save = (format: Format) =>
    void fetchFlow(client, flow.flow_id).then(
      ({ document }) => download(document, format),
      (thrown) => void toast.failed(text.exportFailed, thrown),
    );
  return (
    <span className="relative z-10">
      <Menu
        trigger={<IconButton icon={Ellipsis} label={text.actions(flow.name)} size="sm" />}
        actions={[
          {
            label: text.run,
            icon: Play,
            onSelect: () =>
              void navigate({ to: "/flows/$flowId", params: { flowId: flow.flow_id }, search: { view: "run" } }),
          },
          {
            label: text.duplicate,
            icon: Copy,
            onSelect: () =>
              void duplicateFlow(client, flow.flow_id).then(
                ({ saved }) => void toast.done(text.duplicated(saved.name)),
                (thrown) => void toast.failed(text.duplicateFailed, thrown),
              ),
          },
          { label: text.exportYaml, separated: true, onSelect: () => save("yaml") },
          { label: text.exportJson, onSelect: () => save("json") },
          { label: text.delete, icon: Trash2, danger: true, separated: true, onSelect: onDelete },
        ]}
      />
    </span>
  );
}
