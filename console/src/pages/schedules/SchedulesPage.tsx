// Schedules: what is run when, and what became of the ticks.

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { CalendarClock, Plus } from "lucide-react";
import { useState } from "react";
import { type Schedule, scheduleList } from "~/api/schedules";
import { Page } from "~/components/Page";
import { schedules as text } from "~/text/en/schedules";
import { Badge } from "~/ui/Badge";
import { Button } from "~/ui/Button";
import { Empty } from "~/ui/Empty";
import { Mono } from "~/ui/KeyValue";
import { Link } from "~/ui/Link";
import { Panel } from "~/ui/Panel";
import { type Column, Table } from "~/ui/Table";
import { Time } from "~/ui/Time";
import { AddSchedule } from "./AddSchedule";
import { ScheduleDetails } from "./ScheduleDetails";

const route = getRouteApi("/schedules");

const COLUMNS: readonly Column<Schedule>[] = [
  {
    id: "flow",
    header: text.columns.flow,
    sort: (one) => one.flow_id,
    cell: (one) => (
      <Link to="/schedules" search={{ id: one.schedule_id }} stretched>
        {one.flow_id}
      </Link>
    ),
  },
  {
    id: "when",
    header: text.columns.when,
    cell: (one) => (
      <span className="flex flex-wrap items-center gap-x-2">
        <Mono>{one.cron}</Mono>
        <span className="text-ink-3 text-xs">{one.time_zone}</span>
      </span>
    ),
  },
  {
    id: "next",
    header: text.columns.next,
    sort: (one) => one.next_tick,
    cell: (one) =>
      one.next_tick === null ? (
        text.without(one.enabled)
      ) : (
        <span className="flex flex-col">
          <Time at={one.next_tick} />
          <span className="text-ink-3 text-xs">{one.next_local}</span>
        </span>
      ),
  },
  {
    id: "state",
    header: text.columns.state,
    sort: (one) => (one.enabled ? 0 : 1),
    cell: (one) => <Badge tone={one.enabled ? "ok" : "idle"}>{one.enabled ? text.on : text.off}</Badge>,
  },
];

export function SchedulesPage() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery(scheduleList());
  const [adds, setAdds] = useState(false);
  const choose = (id: string | undefined) =>
    void navigate({ to: "/schedules", search: id === undefined ? {} : { id } });
  const add = (
    <Button variant="primary" icon={Plus} onClick={() => setAdds(true)}>
      {text.add}
    </Button>
  );
  return (
    <Page title={text.title} lead={text.lead} actions={add}>
      <div className={search.id === undefined ? "" : "grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_26rem]"}>
        <Panel title={text.list} hideTitle flush>
          <Table
            label={text.list}
            columns={COLUMNS}
            rows={data?.items}
            getKey={(one) => one.schedule_id}
            isMarked={(one) => one.schedule_id === search.id}
            error={error}
            onRetry={() => void refetch()}
            empty={
              <Empty icon={CalendarClock} title={text.empty.title} action={add}>
                {text.empty.body}
              </Empty>
            }
          />
        </Panel>
        {search.id === undefined ? null : (
          <ScheduleDetails key={search.id} id={search.id} onClose={() => choose(undefined)} />
        )}
      </div>
      {adds ? <AddSchedule onClose={() => setAdds(false)} onAdded={choose} /> : null}
    </Page>
  );
}
