// The events of one Run, as far as they are here. Numbers have no gaps, so a page of any place can be asked for; what is
// asked for first is what is looked at, and the rest comes behind it.

import { answer, api } from "./client";
import { type ApiError, asApiError } from "./error";
import type { RunEvent } from "./types";

/** Events of one request; the API gives no more at once. */
export const PAGE = 500;

export type LoadPage = (after: number, limit: number) => Promise<readonly RunEvent[]>;

export interface LogState {
  /** How many events there are, here or not. */
  readonly count: number;
  /** How many of the first ones are here without a gap. */
  readonly prefix: number;
  readonly error: ApiError | null;
}

export class EventLog {
  readonly #events = new Map<number, RunEvent>();
  readonly #under = new Map<number, Promise<void>>();
  readonly #listeners = new Set<() => void>();
  readonly #load: LoadPage;
  #state: LogState;

  constructor(count: number, load: LoadPage) {
    this.#load = load;
    this.#state = { count, prefix: 0, error: null };
  }

  state = (): LogState => this.#state;

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  event(sequence: number): RunEvent | undefined {
    return this.#events.get(sequence);
  }

  /** The events from one number to another, as far as they are here. */
  between(first: number, last: number): RunEvent[] {
    const found: RunEvent[] = [];
    for (let at = first; at <= last; at += 1) {
      const event = this.#events.get(at);
      if (event !== undefined) found.push(event);
    }
    return found;
  }

  /** Adds events that came another way, such as live. */
  append(events: readonly RunEvent[]): void {
    let count = this.#state.count;
    for (const event of events) {
      this.#events.set(event.sequence, event);
      count = Math.max(count, event.sequence);
    }
    this.#tell({ count });
  }

  /** There are at least this many. */
  grow(count: number): void {
    if (count > this.#state.count) this.#tell({ count });
  }

  /** Loads the pages that have the events from one number to another. */
  async need(first: number, last: number): Promise<void> {
    const pages: Promise<void>[] = [];
    const end = Math.min(last, this.#state.count);
    for (let page = pageOf(Math.max(1, first)); page <= pageOf(end) && end > 0; page += 1) {
      if (!this.#has(page)) pages.push(this.#page(page));
    }
    await Promise.all(pages);
  }

  /** Loads everything, page after page, so that what is looked at meanwhile comes first. */
  async needAll(): Promise<void> {
    while (this.#state.prefix < this.#state.count && this.#state.error === null) {
      const before = this.#state.prefix;
      await this.need(before + 1, before + 1);
      if (this.#state.prefix === before) return;
    }
  }

  /** Forgets an error, so that the next need is tried again. */
  retry(): void {
    this.#tell({ error: null });
  }

  #has(page: number): boolean {
    const last = Math.min((page + 1) * PAGE, this.#state.count);
    for (let at = page * PAGE + 1; at <= last; at += 1) if (!this.#events.has(at)) return false;
    return true;
  }

  #page(page: number): Promise<void> {
    const held = this.#under.get(page);
    if (held !== undefined) return held;
    const loading = this.#load(page * PAGE, PAGE)
      .then((events) => this.append(events))
      .catch((thrown: unknown) => this.#tell({ error: asApiError(thrown) }))
      .finally(() => {
        this.#under.delete(page);
      });
    this.#under.set(page, loading);
    return loading;
  }

  #tell(change: Partial<LogState>): void {
    let { prefix } = this.#state;
    while (this.#events.has(prefix + 1)) prefix += 1;
    this.#state = { ...this.#state, ...change, prefix };
    for (const listener of this.#listeners) listener();
  }
}

function pageOf(sequence: number): number {
  return Math.floor((sequence - 1) / PAGE);
}

/** The events of a Run from the API. */
export function loadRunEvents(runId: string): LoadPage {
  return async (after, limit) => {
    const query = { after, limit };
    const call = api.GET("/api/v1/runs/{run_id}/events", { params: { path: { run_id: runId }, query } });
    return (await answer(call)).events;
  };
}
