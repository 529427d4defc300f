// The versions of a flow that were run, and what changed from one to another.

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { History } from "lucide-react";
import { savedFlow } from "~/api/flows";
import { runFlow, runList } from "~/api/runs";
import { textOf } from "~/canvas/document";
import { Page } from "~/components/Page";
import { flows } from "~/text/en/flows";
import { flowVersions as text } from "~/text/en/flowVersions";
import { ButtonLink } from "~/ui/Button";
import { Empty } from "~/ui/Empty";
import { ErrorNotice } from "~/ui/ErrorNotice";
import { Mono } from "~/ui/KeyValue";
import { Link } from "~/ui/Link";
import { Panel } from "~/ui/Panel";
import { Select } from "~/ui/Select";
import { SkeletonLines } from "~/ui/Skeleton";
import { type Column, Table } from "~/ui/Table";
import { Time } from "~/ui/Time";
import { Changes } from "./Changes";
import { short, type Version, versionsOf } from "./versions";

const route = getRouteApi("/flows/$flowId/versions");

export function FlowVersionsPage() {
  const { flowId } = route.useParams();
  const { a, b } = route.useSearch();
  const navigate = route.useNavigate();
  const saved = useQuery(savedFlow(flowId));
  const portable = textOf(saved.data?.flow.id);
  const runs = useInfiniteQuery({ ...runList({ flow: portable }), enabled: portable !== undefined });
  const listed = runs.data?.pages.flatMap((page) => page.items);
  const versions = listed === undefined ? undefined : versionsOf(listed, flowId);
  const find = (hash: string | undefined) => versions?.find((version) => version.hash === hash);
  // Newest first: what changed last is what is asked about most.
  const to = find(b) ?? versions?.[0];
  const from = find(a) ?? versions?.find((version) => version !== to);
  const name = saved.data?.name ?? flowId;
  return (
    <Page
      title={text.of(name)}
      lead={text.lead}
      above={[
        <Link key="flows" to="/flows">
          {flows.library.title}
        </Link>,
        <Link key="flow" to="/flows/$flowId" params={{ flowId }}>
          {name}
        </Link>,
      ]}
    >
      {saved.error === null ? null : <ErrorNotice error={saved.error} onRetry={() => void saved.refetch()} />}
      <Panel title={text.label} hideTitle flush>
        <Table
          label={text.label}
          columns={columns(portable, runs.hasNextPage)}
          rows={versions}
          getKey={(version) => version.hash}
          error={runs.error}
          onRetry={() => void runs.refetch()}
          more={
            runs.hasNextPage ? { load: () => void runs.fetchNextPage(), loading: runs.isFetchingNextPage } : undefined
          }
          empty={
            <Empty
              icon={History}
              title={text.empty.title}
              action={
                <ButtonLink to="/flows/$flowId" params={{ flowId }}>
                  {text.empty.open}
                </ButtonLink>
              }
            >
              {text.empty.body}
            </Empty>
          }
        />
      </Panel>
      {versions === undefined || versions.length === 0 ? null : (
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
                  onPick={(hash) => void navigate({ search: { a: hash, b: to.hash } })}
                />
                <Pick
                  label={text.changes.to}
                  versions={versions}
                  value={to}
                  onPick={(hash) => void navigate({ search: { a: from.hash, b: hash } })}
                />
              </div>
              <Between from={from} to={to} />
            </div>
          )}
        </Panel>
      )}
    </Page>
  );
}

function columns(portable: string | undefined, more: boolean): readonly Column<Version>[] {
  return [
    { id: "version", header: text.columns.version, cell: ({ hash }) => <Mono>{short(hash)}</Mono> },
    { id: "nodes", header: text.columns.nodes, align: "right", cell: ({ nodes }) => nodes },
    { id: "first", header: text.columns.first, cell: ({ first }) => <Time at={first} /> },
    { id: "last", header: text.columns.last, cell: ({ last }) => <Time at={last} /> },
    {
      id: "runs",
      header: text.columns.runs,
      align: "right",
      cell: ({ runs }) => (
        <Link to="/runs" search={portable === undefined ? {} : { flow: portable }}>
          {text.runs(runs, more)}
        </Link>
      ),
    },
  ];
}

interface PickProps {
  label: string;
  versions: readonly Version[];
  value: Version;
  onPick: (hash: string) => void;
}

function Pick({ label, versions, value, onPick }: PickProps) {
  const options = versions.map(({ hash, last }) => ({
    value: hash,
    label: short(hash),
    detail: new Date(last).toLocaleString("en"),
  }));
  return <Select label={label} options={options} value={value.hash} onValueChange={onPick} />;
}

function Between({ from, to }: { from: Version; to: Version }) {
  const before = useQuery(runFlow(from.run));
  const after = useQuery(runFlow(to.run));
  const error = before.error ?? after.error;
  if (error !== null) return <ErrorNotice error={error} />;
  if (before.data === undefined || after.data === undefined) return <SkeletonLines />;
  return <Changes before={before.data} after={after.data} />;
}
