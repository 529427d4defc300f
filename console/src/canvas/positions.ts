// Where an author put steps, kept in this browser for each flow. Never part of a document: where a box stands changes
// nothing that runs.

import { isRecord } from "./document";
import type { Places, Point } from "./layout";

const PREFIX = "segue.positions.";
/** Flows whose places are kept; the one that was moved longest ago goes first. */
const FLOWS_MAX = 100;

interface Store {
  getItem(key: string): string | null;
  setItem(key: string, value: string): void;
  removeItem(key: string): void;
}

const INDEX = `${PREFIX}index`;

export function loadPositions(store: Store, flow: string): Places {
  const stored = readJson(store, PREFIX + flow);
  if (!isRecord(stored)) return new Map();
  const entries = Object.entries(stored).flatMap(([key, value]): [string, Point][] => {
    const [x, y] = Array.isArray(value) ? value : [];
    return Number.isFinite(x) && Number.isFinite(y) ? [[key, { x, y }]] : [];
  });
  return new Map(entries);
}

/** A browser that keeps nothing (a full or forbidden store) only forgets. */
export function savePositions(store: Store, flow: string, places: Places): void {
  const known = readJson(store, INDEX);
  const flows = (Array.isArray(known) ? known : []).filter((one) => typeof one === "string" && one !== flow);
  if (places.size > 0) flows.push(flow);
  try {
    for (const old of flows.splice(0, Math.max(0, flows.length - FLOWS_MAX))) store.removeItem(PREFIX + old);
    if (places.size === 0) store.removeItem(PREFIX + flow);
    else
      store.setItem(
        PREFIX + flow,
        JSON.stringify(Object.fromEntries([...places].map(([key, { x, y }]) => [key, [Math.round(x), Math.round(y)]]))),
      );
    store.setItem(INDEX, JSON.stringify(flows));
  } catch {
    // Nothing else depends on it.
  }
}

function readJson(store: Store, key: string): unknown {
  try {
    return JSON.parse(store.getItem(key) ?? "null");
  } catch {
    return null;
  }
}
