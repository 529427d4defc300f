// A Run at any moment: what its events up to a number say of each node. Pure, and the same for what happens now, for what
// is replayed, and for the report on disk.

import type { RunEvent } from "~/api/types";

export type NodeState =
  | "pending"
  | "unreached"
  | "ready"
  | "running"
  | "waiting"
  | "uncertain"
  | "accepted"
  | "succeeded"
  | "reused"
  | "skipped"
  | "failed"
  | "rejected"
  | "cancelled";

export interface NodeMoment {
  readonly state: NodeState;
  /** How often an executor was called. */
  readonly started: number;
  /** 1 for the first pass; raised by each repair. */
  readonly round: number;
  /** Items of a list that are done. */
  readonly items: number;
  readonly readyAt: string | null;
  readonly settledAt: string | null;
}

export interface Moment {
  /** The number of the last event that counts. */
  readonly sequence: number;
  readonly runState: string;
  readonly nodes: ReadonlyMap<string, NodeMoment>;
}

const PENDING: NodeMoment = {
  state: "pending",
  started: 0,
  round: 1,
  items: 0,
  readyAt: null,
  settledAt: null,
};

/** One object, so that what shows it is not drawn again. */
const UNREACHED: NodeMoment = { ...PENDING, state: "unreached" };

/** What each event makes of its node. An event that is not here changes no state. */
const NODE_STATES: Readonly<Record<string, NodeState>> = {
  "node.reused": "reused",
  "node.ready": "ready",
  "executor.started": "running",
  "person.asked": "waiting",
  "person.answered": "running",
  "node.uncertain": "uncertain",
  "node.decided": "running",
  "result.accepted": "accepted",
  "node.succeeded": "succeeded",
  "evaluation.rejected": "rejected",
  "node.failed": "failed",
  "node.cancelled": "cancelled",
  "node.skipped": "skipped",
};

/** What each event makes of the Run. */
const RUN_STATES: Readonly<Record<string, string>> = {
  "run.created": "running",
  "run.cancel_requested": "cancel_requested",
  "run.cancelled": "cancelled",
  "run.failed": "failed",
  "run.succeeded": "succeeded",
};

const ENDED: ReadonlySet<string> = new Set(["cancelled", "failed", "succeeded"]);

const SETTLED: ReadonlySet<NodeState> = new Set(["succeeded", "reused", "skipped", "failed", "rejected", "cancelled"]);

/** A moment with its Run ended: what is pending in it will never be reached. */
export function concluded(moment: Moment): Moment {
  if (!ENDED.has(moment.runState)) return moment;
  const nodes = [...moment.nodes].map(([id, node]): [string, NodeMoment] => [
    id,
    node.state !== "pending" ? node : node === PENDING ? UNREACHED : { ...node, state: "unreached" },
  ]);
  return { ...moment, nodes: new Map(nodes) };
}

export function isSettled(state: NodeState): boolean {
  return SETTLED.has(state);
}

type Draft = { sequence: number; runState: string; nodes: Map<string, NodeMoment> };

/** Moments are kept this many events apart, so that any other is near one. */
const CHECKPOINT = 512;

/** The events of a Run in order, and the Run at each of them. */
export class Replay {
  readonly #events: RunEvent[] = [];
  readonly #checkpoints: Moment[];

  constructor(nodeIds: readonly string[]) {
    this.#checkpoints = [{ sequence: 0, runState: "running", nodes: new Map(nodeIds.map((id) => [id, PENDING])) }];
  }

  get length(): number {
    return this.#events.length;
  }

  event(sequence: number): RunEvent | undefined {
    return this.#events[sequence - 1];
  }

  /** Adds the events that follow the ones there; others are left out. */
  append(events: readonly RunEvent[]): void {
    for (const event of events) {
      if (event.sequence !== this.#events.length + 1) continue;
      this.#events.push(event);
      if (event.sequence % CHECKPOINT !== 0) continue;
      const before = this.#checkpoints.at(-1);
      if (before !== undefined) this.#checkpoints.push(this.#advance(before, event.sequence));
    }
  }

  /** The Run as its first `sequence` events tell it. */
  at(sequence: number): Moment {
    const upTo = Math.max(0, Math.min(sequence, this.#events.length));
    const nearest = this.#checkpoints[Math.floor(upTo / CHECKPOINT)] ?? this.#checkpoints[0];
    if (nearest === undefined) throw new Error("a replay begins with the Run before its first event");
    return concluded(this.#advance(nearest, upTo));
  }

  #advance(from: Moment, to: number): Moment {
    const draft: Draft = { sequence: from.sequence, runState: from.runState, nodes: new Map(from.nodes) };
    for (let at = from.sequence; at < to; at += 1) {
      const event = this.#events[at];
      if (event !== undefined) step(draft, event);
    }
    return draft;
  }
}

function step(draft: Draft, event: RunEvent): void {
  draft.sequence = event.sequence;
  draft.runState = RUN_STATES[event.event_type] ?? draft.runState;
  if (event.event_type === "node.repeated") repeat(draft, event);
  if (event.node_id === null) return;
  const before = draft.nodes.get(event.node_id) ?? PENDING;
  draft.nodes.set(event.node_id, after(before, event));
}

/** A round of repair begins: these nodes run again. */
function repeat(draft: Draft, event: RunEvent): void {
  const { round, node_ids: ids } = event.payload as { round?: unknown; node_ids?: unknown };
  if (typeof round !== "number" || !Array.isArray(ids)) return;
  for (const id of ids) if (typeof id === "string") draft.nodes.set(id, { ...PENDING, round });
}

function after(before: NodeMoment, event: RunEvent): NodeMoment {
  const told = NODE_STATES[event.event_type];
  // A rejected evaluation also fails; that it was rejected says more.
  const state = told === "failed" && before.state === "rejected" ? "rejected" : (told ?? before.state);
  return {
    ...before,
    state: event.event_type === "executor.started" && isSettled(before.state) ? before.state : state,
    started: before.started + (event.event_type === "executor.started" ? 1 : 0),
    items: before.items + (event.event_type === "item.accepted" ? 1 : 0),
    readyAt: event.event_type === "node.ready" ? event.recorded_at : before.readyAt,
    settledAt: told !== undefined && isSettled(state) ? event.recorded_at : before.settledAt,
  };
}
