// One schedule: when it ticks, whether it is on, and what became of its ticks.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Trash2, X } from "lucide-react";
import { useState } from "react";
import { savedFlows } from "~/api/flows";
import { keys } from "~/api/keys";
import { oneSchedule, removeSchedule, type Schedule, type ScheduleEvent, switchSchedule } from "~/api/schedules";
import { EffectList } from "~/components/Authorization";
import { executor as names } from "~/text/en/executor";
import { schedules as text } from "~/text/en/schedules";
import { StateBadge } from "~/ui/Badge";
import { Button, IconButton } from "~/ui/Button";
import { Switch } from "~/ui/Choice";
import { Confirm } from "~/ui/Dialog";
import { ErrorNotice } from "~/ui/ErrorNotice";
import { JsonView } from "~/ui/JsonView";
import { KeyValue, Mono } from "~/ui/KeyValue";
import { Link } from "~/ui/Link";
import { Panel } from "~/ui/Panel";
import { SkeletonLines } from "~/ui/Skeleton";
import { Time } from "~/ui/Time";
import { toast } from "~/ui/Toast";
import { titlesOf } from "./titles";

const words = text.details;

export function ScheduleDetails({ id, onClose }: { id: string; onClose: () => void }) {
  const [asks, setAsks] = useState(false);
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(oneSchedule(id));
  const flows = useQuery(savedFlows()).data;
  const fresh = () => client.invalidateQueries({ queryKey: keys.schedules.all });
  const turn = useMutation({
    mutationFn: (enabled: boolean) => switchSchedule(id, enabled),
    onSettled: () => void fresh(),
    onError: (thrown) => toast.failed(words.changed, thrown),
  });
  const remove = useMutation({
    mutationFn: () => removeSchedule(id),
    onSuccess: () => {
      onClose();
      client.removeQueries({ queryKey: [...keys.schedules.all, id] });
      void client.invalidateQueries({ queryKey: keys.schedules.all, exact: true });
      toast.done(words.removed);
    },
    onError: (thrown) => {
      setAsks(false);
      toast.failed(words.removeFailed, thrown);
    },
  });
  const close = <IconButton icon={X} label={words.close} size="sm" onClick={onClose} />;
  if (data === undefined) {
    return (
      <Panel title={id} actions={close}>
        {error === null ? <SkeletonLines /> : <ErrorNotice error={error} onRetry={() => void refetch()} />}
      </Panel>
    );
  }
  const { schedule, events } = data;
  const titleOf = titlesOf(flows?.find((flow) => flow.flow_id === schedule.local_flow_id));
  return (
    <Panel title={schedule.flow_id} actions={close} className="lg:sticky lg:top-4">
      <Switch
        label={words.enabled}
        hint={words.enabledHint}
        checked={schedule.enabled}
        disabled={turn.isPending}
        onCheckedChange={(on) => turn.mutate(on)}
      />
      <Facts schedule={schedule} />
      {schedule.authorized === null ? null : (
        <section aria-label={words.facts.authorized} className="mt-4 border-line border-t pt-3">
          <h3 className="mb-1 font-semibold text-sm">{words.facts.authorized}</h3>
          <EffectList
            effects={schedule.authorized.effects}
            count={schedule.authorized.scope.node_ids.length}
            titleOf={titleOf}
          />
        </section>
      )}
      {Object.keys(schedule.inputs).length === 0 ? null : (
        <div className="mt-3">
          <JsonView label={words.inputs} value={schedule.inputs} open={2} />
        </div>
      )}
      <section aria-label={words.history} className="mt-4 border-line border-t pt-3">
        <h3 className="mb-1 font-semibold text-sm">{words.history}</h3>
        {events.length === 0 ? <p className="text-ink-2 text-sm">{words.noHistory}</p> : null}
        <ol className="flex max-h-96 flex-col gap-2 overflow-y-auto">
          {events.map((event) => (
            <EventLine key={event.sequence} event={event} />
          ))}
        </ol>
      </section>
      <div className="mt-4 border-line border-t pt-3">
        <Button variant="danger" icon={Trash2} onClick={() => setAsks(true)}>
          {words.remove}
        </Button>
      </div>
      <Confirm
        open={asks}
        onOpenChange={setAsks}
        title={words.removeTitle}
        action={words.remove}
        busy={remove.isPending}
        danger
        onConfirm={() => remove.mutate()}
      >
        {words.removeBody}
      </Confirm>
    </Panel>
  );
}

function Facts({ schedule }: { schedule: Schedule }) {
  return (
    <KeyValue
      className="mt-4"
      facts={[
        [
          words.facts.flow,
          <Link key="flow" to="/flows/$flowId" params={{ flowId: schedule.local_flow_id }}>
            {schedule.flow_id}
          </Link>,
        ],
        [words.facts.when, <Mono key="cron">{schedule.cron}</Mono>],
        [words.facts.zone, schedule.time_zone],
        [
          words.facts.next,
          schedule.next_tick === null ? text.without(schedule.enabled) : <Time key="next" at={schedule.next_tick} />,
        ],
        [words.facts.clock, schedule.next_local],
        [words.facts.version, text.form.versions[schedule.version].label],
        [
          words.facts.hash,
          schedule.flow_hash === null ? null : (
            <Mono key="hash" cut>
              {schedule.flow_hash}
            </Mono>
          ),
        ],
        [words.facts.missed, text.form.missedWays[schedule.missed]],
        [words.facts.overlap, text.form.overlapWays[schedule.overlap]],
        [names.label, names.names[schedule.executor]],
        [words.facts.created, <Time key="created" at={schedule.created_at} />],
        [
          words.facts.last,
          schedule.last_run_id === null ? null : (
            <Link key="last" to="/runs/$runId" params={{ runId: schedule.last_run_id }}>
              {text.last}
            </Link>
          ),
        ],
      ]}
    />
  );
}

function EventLine({ event }: { event: ScheduleEvent }) {
  const { missed, refused } = event;
  return (
    <li className="flex min-w-0 items-start gap-2 text-sm">
      <span className="w-24 shrink-0 text-ink-3 text-xs leading-5">
        <Time at={event.recorded_at} />
      </span>
      <span className="min-w-0 flex-1">
        <span className="flex flex-wrap items-center gap-2">
          {text.events[event.event_type] ?? event.event_type}
          {event.run_id === null ? null : (
            <Link to="/runs/$runId" params={{ runId: event.run_id }}>
              {words.run}
            </Link>
          )}
          {event.run_status === null ? null : <StateBadge state={event.run_status} />}
        </span>
        {missed === null ? null : (
          <span className="block text-ink-2 text-xs">{text.missedTicks(missed.count, missed.at_least)}</span>
        )}
        {refused === null ? null : <span className="block break-words text-bad text-xs">{refused.reason}</span>}
      </span>
    </li>
  );
}
