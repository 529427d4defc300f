// All Runs, newest first, live. What is searched for stands in the address.

import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Play, Plus, SearchX, X } from "lucide-react";
import { useDeferredValue, useEffect, useEffectEvent, useState } from "react";
import { runList } from "~/api/runs";
import type { RunSummary } from "~/api/types";
import { Page } from "~/components/Page";
import { RUN_FILTERS } from "~/routes";
import { runs as text } from "~/text/en/runs";
import { StateBadge, stateLabel } from "~/ui/Badge";
import { Button, ButtonLink } from "~/ui/Button";
import { Empty } from "~/ui/Empty";
import { TextField } from "~/ui/Field";
import { Mono } from "~/ui/KeyValue";
import { Link } from "~/ui/Link";
import { Panel } from "~/ui/Panel";
import { Select } from "~/ui/Select";
import { type Column, Table } from "~/ui/Table";
import { Duration, Time } from "~/ui/Time";
import { ForkMark } from "./ForkMark";
import { GivenLine } from "./GivenInputs";

const route = getRouteApi("/runs");

const ANY = "any";

const COLUMNS: readonly Column<RunSummary>[] = [
  {
    id: "flow",
    header: text.columns.flow,
    className: "max-w-40 sm:max-w-80",
    cell: (run) => (
      <>
        <span className="flex min-w-0 flex-wrap items-center gap-x-2">
          <Link to="/runs/$runId" params={{ runId: run.run_id }} stretched>
            {run.flow_id}
          </Link>
          <ForkMark run={run} />
        </span>
        <GivenLine runId={run.run_id} />
      </>
    ),
  },
  {
    id: "state",
    header: text.columns.state,
    cell: (run) => <StateBadge state={run.waiting ? "waiting" : run.status} />,
  },
  {
    id: "progress",
    header: text.columns.progress,
    align: "right",
    className: "hidden sm:table-cell",
    cell: (run) => `${run.settled_node_count} / ${run.node_count}`,
  },
  { id: "started", header: text.columns.started, cell: (run) => <Time at={run.started_at} /> },
  {
    id: "took",
    header: text.columns.took,
    align: "right",
    className: "hidden sm:table-cell",
    cell: (run) => <Duration from={run.started_at} to={run.finished_at} />,
  },
  { id: "made", header: text.columns.made, className: "hidden md:table-cell", cell: (run) => run.artifact_name ?? "" },
  { id: "run", header: text.columns.run, className: "hidden xl:table-cell", cell: (run) => <Mono>{run.run_id}</Mono> },
];

export function RunsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const filter = {
    status: search.status === undefined || search.status === "waiting" ? undefined : [search.status],
    waiting: search.status === "waiting" || undefined,
    flow: search.flow,
    text: search.text,
  };
  const list = useInfiniteQuery({ ...runList(filter), placeholderData: (before) => before });
  const isFiltered = Object.values(search).some((value) => value !== undefined);
  const clear = () => void navigate({ search: {} });

  return (
    <Page
      title={text.title}
      lead={text.lead}
      actions={
        <ButtonLink variant="primary" icon={Plus} to="/flows">
          {text.start}
        </ButtonLink>
      }
    >
      <search aria-label={text.filters} className="flex flex-wrap items-end gap-3">
        <SearchField
          value={search.text ?? ""}
          onChange={(value) =>
            void navigate({ search: (held) => ({ ...held, text: value === "" ? undefined : value }), replace: true })
          }
        />
        <Select
          label={text.state}
          className="w-44"
          value={search.status ?? ANY}
          onValueChange={(value) =>
            void navigate({ search: (held) => ({ ...held, status: RUN_FILTERS.find((one) => one === value) }) })
          }
          options={[
            { value: ANY as string, label: text.anyState },
            ...RUN_FILTERS.map((status) => ({ value: status as string, label: stateLabel(status) })),
          ]}
        />
        {search.flow === undefined ? null : (
          <Button
            icon={X}
            title={text.allFlows}
            onClick={() => void navigate({ search: (held) => ({ ...held, flow: undefined }) })}
          >
            {text.flow(search.flow)}
          </Button>
        )}
      </search>
      <Panel title={text.list} hideTitle flush>
        <Table
          label={text.list}
          columns={COLUMNS}
          rows={list.data?.pages.flatMap((page) => page.items)}
          getKey={(run) => run.run_id}
          error={list.error}
          onRetry={() => void list.refetch()}
          more={
            list.hasNextPage ? { load: () => void list.fetchNextPage(), loading: list.isFetchingNextPage } : undefined
          }
          empty={isFiltered ? <NoMatch onClear={clear} /> : <NoRuns />}
        />
      </Panel>
    </Page>
  );
}

/** Writes into the address once nothing more is typed for the moment. */
function SearchField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const [typed, setTyped] = useState(value);
  const settled = useDeferredValue(typed);
  const told = useEffectEvent((next: string) => {
    if (next !== value) onChange(next);
  });
  useEffect(() => told(settled), [settled]);
  useEffect(() => setTyped(value), [value]);
  return (
    <TextField
      type="search"
      label={text.search}
      placeholder={text.searchPlaceholder}
      className="w-72 max-w-full"
      value={typed}
      onValueChange={setTyped}
    />
  );
}

function NoRuns() {
  return (
    <Empty
      icon={Play}
      title={text.empty.title}
      action={
        <ButtonLink variant="primary" to="/flows">
          {text.empty.action}
        </ButtonLink>
      }
    >
      {text.empty.body}
    </Empty>
  );
}

function NoMatch({ onClear }: { onClear: () => void }) {
  return (
    <Empty icon={SearchX} title={text.noMatch.title} action={<Button onClick={onClear}>{text.noMatch.action}</Button>}>
      {text.noMatch.body}
    </Empty>
  );
}
