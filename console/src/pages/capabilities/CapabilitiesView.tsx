// The capabilities: found by words and kind, looked at, added, discovered.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { Bot, Plus, Radar } from "lucide-react";
import { useMemo, useState } from "react";
import { capabilities } from "~/api/capabilities";
import type { Capability } from "~/api/types";
import { CAPABILITY_KINDS, type CapabilityKind } from "~/canvas/kinds";
import { capabilities as text } from "~/text/en/capabilities";
import { effects as effectWords } from "~/text/en/effects";
import { StateBadge } from "~/ui/Badge";
import { Button, ButtonLink } from "~/ui/Button";
import { Empty } from "~/ui/Empty";
import { TextField } from "~/ui/Field";
import { Mono } from "~/ui/KeyValue";
import { Link } from "~/ui/Link";
import { Menu } from "~/ui/Menu";
import { Panel } from "~/ui/Panel";
import { Select } from "~/ui/Select";
import { type Column, Table } from "~/ui/Table";
import { AddCapability } from "./AddCapability";
import { CapabilityDetails } from "./CapabilityDetails";
import { DiscoverDialog } from "./DiscoverDialog";

const route = getRouteApi("/capabilities");
/** Stands for no filter; the kit's choice knows no empty value. */
const ANY = "";

const COLUMNS: readonly Column<Capability>[] = [
  {
    id: "name",
    header: text.columns.name,
    sort: (one) => one.name,
    cell: (one) => (
      <Link to="/capabilities" search={(held) => ({ ...held, id: one.id })} stretched>
        {one.name}
      </Link>
    ),
  },
  {
    id: "kind",
    header: text.columns.kind,
    sort: (one) => text.kinds[one.kind] ?? one.kind,
    cell: (one) => text.kinds[one.kind] ?? one.kind,
  },
  {
    id: "state",
    header: text.columns.state,
    sort: (one) => one.status,
    cell: (one) => <StateBadge state={one.status} />,
  },
  {
    id: "effects",
    header: text.columns.effects,
    className: "hidden md:table-cell",
    cell: (one) => (
      <span className="text-ink-2 text-xs">
        {one.effects.map((effect) => effectWords.labels[effect] ?? effect).join(", ")}
      </span>
    ),
  },
  { id: "id", header: text.columns.id, className: "hidden xl:table-cell", cell: (one) => <Mono>{one.id}</Mono> },
];

export function CapabilitiesView() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery(capabilities());
  const [adds, setAdds] = useState<CapabilityKind | null>(null);
  const [discovers, setDiscovers] = useState(false);
  const words = (search.text ?? "").toLowerCase();
  const shown = useMemo(
    () => data?.items.filter((one) => (search.kind ?? one.kind) === one.kind && matches(one, words)),
    [data, search.kind, words],
  );
  const chosen = search.id === undefined ? undefined : data?.items.find((one) => one.id === search.id);
  const change = (next: Record<string, string>) =>
    void navigate({
      to: "/capabilities",
      search: (held) =>
        Object.fromEntries(Object.entries({ ...held, ...next }).filter(([, value]) => value !== ANY)) as never,
      replace: true,
    });
  const choose = (id: string | undefined) =>
    void navigate({ to: "/capabilities", search: ({ id: _, ...held }) => (id === undefined ? held : { ...held, id }) });

  return (
    <div className="flex flex-col gap-4 pt-4">
      <div className="flex flex-wrap items-end gap-3">
        <TextField
          label={text.search}
          type="search"
          placeholder={text.searchHint}
          value={search.text ?? ""}
          onValueChange={(next) => change({ text: next })}
          className="w-64"
        />
        <Select
          label={text.kind}
          className="w-48"
          options={[
            { value: ANY, label: text.anyKind },
            ...CAPABILITY_KINDS.map((kind) => ({ value: kind as string, label: text.kinds[kind] ?? kind })),
          ]}
          value={search.kind ?? ANY}
          onValueChange={(kind) => change({ kind })}
        />
        <span className="flex flex-1 justify-end gap-2">
          <Button icon={Radar} onClick={() => setDiscovers(true)}>
            {text.discover}
          </Button>
          <Menu
            trigger={
              <Button variant="primary" icon={Plus}>
                {text.add}
              </Button>
            }
            actions={CAPABILITY_KINDS.map((kind) => ({
              label: text.kinds[kind] ?? kind,
              onSelect: () => setAdds(kind),
            }))}
          />
        </span>
      </div>
      <div className={chosen === undefined ? "" : "grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_24rem]"}>
        <Panel title={text.list} hideTitle flush>
          <Table
            label={text.list}
            columns={COLUMNS}
            rows={shown}
            getKey={(one) => one.id}
            isMarked={(one) => one.id === search.id}
            error={error}
            onRetry={() => void refetch()}
            empty={
              data?.items.length === 0 ? (
                <Empty icon={Bot} title={text.empty.title}>
                  {text.empty.body}
                </Empty>
              ) : (
                <Empty
                  icon={Bot}
                  title={text.noMatch.title}
                  action={
                    <ButtonLink to="/capabilities" search={{}}>
                      {text.noMatch.action}
                    </ButtonLink>
                  }
                >
                  {text.noMatch.body}
                </Empty>
              )
            }
          />
        </Panel>
        {chosen === undefined ? null : <CapabilityDetails capability={chosen} onClose={() => choose(undefined)} />}
      </div>
      {adds === null ? null : (
        <AddCapability key={adds} kind={adds} onClose={() => setAdds(null)} onSaved={(id) => choose(id)} />
      )}
      {discovers ? (
        <DiscoverDialog known={data?.items ?? []} onClose={() => setDiscovers(false)} onSaved={(id) => choose(id)} />
      ) : null}
    </div>
  );
}

function matches(one: Capability, words: string): boolean {
  return words === "" || [one.name, one.id, one.description].some((part) => part.toLowerCase().includes(words));
}
