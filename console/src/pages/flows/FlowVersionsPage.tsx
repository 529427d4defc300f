// The saved versions of a flow, what changed from one to another, and the way back to an earlier one.

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { History } from "lucide-react";
import { useState } from "react";
import { flowDifference, flowVersions } from "~/api/documents";
import { savedFlow } from "~/api/flows";
import type { FlowVersion } from "~/api/types";
import { Page } from "~/components/Page";
import { flows } from "~/text/en/flows";
import { flowVersions as text } from "~/text/en/flowVersions";
import { Badge } from "~/ui/Badge";
import { Button } from "~/ui/Button";
import { ErrorNotice } from "~/ui/ErrorNotice";
import { Mono } from "~/ui/KeyValue";
import { Link } from "~/ui/Link";
import { Panel } from "~/ui/Panel";
import { Select } from "~/ui/Select";
import { SkeletonLines } from "~/ui/Skeleton";
import { type Column, Table } from "~/ui/Table";
import { Time } from "~/ui/Time";
import { Changes } from "./Changes";
import { RestoreVersion } from "./RestoreVersion";

const route = getRouteApi("/flows/$flowId/versions");

const DIGITS = 12;

export function FlowVersionsPage() {
  const { flowId } = route.useParams();
  const { a, b } = route.useSearch();
  const navigate = route.useNavigate();
  const [restoring, setRestoring] = useState<FlowVersion | null>(null);
  const saved = useQuery(savedFlow(flowId));
  const query = useInfiniteQuery(flowVersions(flowId));
  const versions = query.data?.pages.flatMap((page) => page.items);
  const find = (version: string | undefined) => versions?.find((one) => String(one.version) === version);
  // Newest first: what changed last is what is asked about most.
  const to = find(b) ?? versions?.[0];
  const from = find(a) ?? versions?.find((one) => to !== undefined && one.version < to.version);
  const name = saved.data?.name ?? flowId;
  return (
    <Page
      title={text.of(name)}
      lead={text.lead}
      above={[
        <Link key="flows" to="/flows">
          {flows.savedFlows.title}
        </Link>,
        <Link key="flow" to="/flows/$flowId" params={{ flowId }}>
          {name}
        </Link>,
      ]}
    >
      <Panel title={text.label} hideTitle flush>
        <Table
          label={text.label}
          columns={columns(setRestoring)}
          rows={versions}
          getKey={(one) => String(one.version)}
          error={query.error}
          onRetry={() => void query.refetch()}
          more={
            query.hasNextPage
              ? { load: () => void query.fetchNextPage(), loading: query.isFetchingNextPage }
              : undefined
          }
          empty={null}
        />
      </Panel>
      {versions === undefined ? null : (
        <Panel title={text.changes.title}>
          {from === undefined || to === undefined ? (
            <p className="text-ink-2 text-sm">{text.changes.pick}</p>
          ) : (
            <div className="flex flex-col gap-4">
              <div className="grid gap-3 sm:grid-cols-2">
                <Pick
                  label={text.changes.from}
                  versions={versions}
                  value={from}
                  onPick={(version) => void navigate({ search: { a: version, b: String(to.version) } })}
                />
                <Pick
                  label={text.changes.to}
                  versions={versions}
                  value={to}
                  onPick={(version) => void navigate({ search: { a: String(from.version), b: version } })}
                />
              </div>
              <Between flowId={flowId} before={from.version} after={to.version} />
            </div>
          )}
        </Panel>
      )}
      <RestoreVersion flowId={flowId} version={restoring} onClose={() => setRestoring(null)} />
    </Page>
  );
}

function columns(onRestore: (version: FlowVersion) => void): readonly Column<FlowVersion>[] {
  return [
    {
      id: "version",
      header: text.columns.version,
      cell: ({ version, current }) => (
        <span className="inline-flex items-center gap-2">
          {version}
          {current ? <Badge tone="accent">{text.current}</Badge> : null}
        </span>
      ),
    },
    { id: "name", header: text.columns.name, cell: ({ name }) => name },
    { id: "steps", header: text.columns.steps, align: "right", cell: ({ step_count: count }) => count },
    {
      id: "hash",
      header: text.columns.hash,
      className: "hidden md:table-cell",
      cell: ({ flow_hash: hash }) =>
        hash === null ? <span className="text-ink-3">{text.noHash}</span> : <Mono>{hash.slice(0, DIGITS)}</Mono>,
    },
    { id: "saved", header: text.columns.saved, cell: ({ saved_at: at }) => <Time at={at} /> },
    {
      id: "restore",
      header: "",
      align: "right",
      cell: (one) =>
        one.current ? null : (
          <Button size="sm" icon={History} aria-label={text.restore.label(one.version)} onClick={() => onRestore(one)}>
            {text.restore.action}
          </Button>
        ),
    },
  ];
}

interface PickProps {
  label: string;
  versions: readonly FlowVersion[];
  value: FlowVersion;
  onPick: (version: string) => void;
}

function Pick({ label, versions, value, onPick }: PickProps) {
  const options = versions.map(({ version, name, saved_at: at }) => ({
    value: String(version),
    label: text.changes.version(version, name),
    detail: new Date(at).toLocaleString("en"),
  }));
  return <Select label={label} options={options} value={String(value.version)} onValueChange={onPick} />;
}

function Between({ flowId, before, after }: { flowId: string; before: number; after: number }) {
  const { data, error, refetch } = useQuery(flowDifference(flowId, before, after));
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  return data === undefined ? <SkeletonLines /> : <Changes difference={data} />;
}
