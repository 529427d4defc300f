// Everything that the Run page shows of one Run, kept up to date: its summary, its frozen flow, its events as far as they
// are needed, and the Run at the moment that is looked at.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useState, useSyncExternalStore } from "react";
import { EventLog, type LogState, loadRunEvents } from "~/api/eventLog";
import { keys } from "~/api/keys";
import { isRecorded } from "~/api/recorded";
import { oneRun, runFlow, runOutcome } from "~/api/runs";
import type { RunEvent, RunOutcome, RunSummary } from "~/api/types";
import { useStream } from "~/api/useStream";
import { outlineOf, type RunGraph, readGraph } from "./graph";
import { concluded, type Moment, type NodeMoment, type NodeState, Replay } from "./replay";

export interface RunRecord {
  readonly run: RunSummary | undefined;
  readonly graph: RunGraph | undefined;
  readonly log: EventLog;
  readonly logState: LogState;
  readonly replay: Replay;
  /** The Run as it is looked at. */
  readonly moment: Moment;
  /** It is looked at as it is now. */
  readonly isNow: boolean;
  readonly error: unknown;
  readonly retry: () => void;
}

const ACTIVE: ReadonlySet<string> = new Set(["running", "cancel_requested"]);

export function isActive(run: Pick<RunSummary, "status">): boolean {
  return ACTIVE.has(run.status);
}

/** `at`: the number of the event at which the Run is looked at; the present without it. */
export function useRunRecord(runId: string, at: number | undefined): RunRecord {
  const client = useQueryClient();
  const run = useQuery(oneRun(runId));
  const flow = useQuery(runFlow(runId));
  const outcome = useQuery(runOutcome(runId));
  const [log] = useState(() => new EventLog(0, loadRunEvents(runId)));
  const logState = useSyncExternalStore(log.subscribe, log.state);
  const active = run.data !== undefined && isActive(run.data);

  const graph = useMemo(() => {
    if (flow.data !== undefined) return readGraph(flow.data);
    return flow.error !== null && run.data !== undefined ? outlineOf(run.data) : undefined;
  }, [flow.data, flow.error, run.data]);

  useEffect(() => {
    if (run.data === undefined) return;
    log.grow(run.data.event_count);
    void log.needAll();
  }, [log, run.data]);

  useStream<RunEvent>(
    active && !isRecorded() ? `/api/v1/runs/${encodeURIComponent(runId)}/events/stream` : null,
    {
      onEvent: (event) => log.append([event]),
      onEnd: () => void client.invalidateQueries({ queryKey: keys.runs.one(runId) }),
    },
    { after: run.data?.event_count ?? 0 },
  );

  const [replay, setReplay] = useState(() => new Replay([]));
  useEffect(() => setReplay(new Replay(graph?.nodes.map((node) => node.id) ?? [])), [graph]);
  const length = replayed(replay, log, logState.prefix);

  const complete = logState.prefix > 0 && logState.prefix >= logState.count;
  const isNow = at === undefined || at >= logState.count;
  const moment = useMemo(() => {
    if (isNow && !complete && outcome.data !== undefined) return fromOutcome(outcome.data, logState.count);
    return replay.at(isNow ? length : at);
  }, [replay, length, complete, isNow, at, outcome.data, logState.count]);

  return {
    run: run.data,
    graph,
    log,
    logState,
    replay,
    moment,
    isNow,
    error: run.error ?? logState.error,
    retry: () => {
      log.retry();
      void run.refetch();
      void log.needAll();
    },
  };
}

/** Takes over what has come, and says how many events the replay has. */
function replayed(replay: Replay, log: EventLog, prefix: number): number {
  if (replay.length < prefix) replay.append(log.between(replay.length + 1, prefix));
  return replay.length;
}

/** While the events of a long Run are still coming, its outcome says where each node stands. */
function fromOutcome(outcome: RunOutcome, sequence: number): Moment {
  const nodes = outcome.nodes.map(({ node_id, status }): [string, NodeMoment] => [
    node_id,
    { state: status as NodeState, started: 0, round: 1, items: 0, readyAt: null, settledAt: null },
  ]);
  return concluded({ sequence, runState: outcome.status, nodes: new Map(nodes) });
}
