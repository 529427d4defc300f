// A layout for graphs that are too large for the good one: layers by the longest way, each ordered by what its steps
// are connected to. Linear in steps and edges for each sweep.

export interface Link {
  readonly source: string;
  readonly target: string;
}

const SWEEPS = 6;

/** The column of each step and its row in it, without gaps. The graph has no cycle, or what is on one stands first. */
export function layers(keys: readonly string[], links: readonly Link[]): string[][] {
  const up = neighbours(keys, links, "target", "source");
  const down = neighbours(keys, links, "source", "target");
  const rank = ranks(keys, up, down);
  const columns: string[][] = [];
  for (const key of keys) {
    const column = rank.get(key) ?? 0;
    columns[column] = [...(columns[column] ?? []), key];
  }
  const row = new Map<string, number>();
  const number = (column: readonly string[]) => {
    // Rows relative to the middle, so that columns of different heights compare.
    for (const [index, key] of column.entries()) row.set(key, index - column.length / 2);
  };
  columns.forEach(number);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const forward = sweep % 2 === 0;
    const near = forward ? up : down;
    for (const column of forward ? columns : columns.toReversed()) {
      const weight = new Map(column.map((key) => [key, mean(near.get(key) ?? [], row) ?? row.get(key) ?? 0]));
      column.sort((a, b) => (weight.get(a) ?? 0) - (weight.get(b) ?? 0));
      number(column);
    }
  }
  return columns;
}

function neighbours(keys: readonly string[], links: readonly Link[], of: keyof Link, to: keyof Link) {
  const lists = new Map<string, string[]>(keys.map((key) => [key, []]));
  for (const link of links) lists.get(link[of])?.push(link[to]);
  return lists;
}

function ranks(keys: readonly string[], up: ReadonlyMap<string, string[]>, down: ReadonlyMap<string, string[]>) {
  const rank = new Map<string, number>();
  const waiting = new Map(keys.map((key) => [key, up.get(key)?.length ?? 0]));
  const ready = keys.filter((key) => waiting.get(key) === 0);
  for (const key of ready) {
    rank.set(key, rank.get(key) ?? 0);
    for (const next of down.get(key) ?? []) {
      rank.set(next, Math.max(rank.get(next) ?? 0, (rank.get(key) ?? 0) + 1));
      const left = (waiting.get(next) ?? 1) - 1;
      waiting.set(next, left);
      if (left === 0) ready.push(next);
    }
  }
  return rank;
}

function mean(keys: readonly string[], row: ReadonlyMap<string, number>): number | undefined {
  if (keys.length === 0) return undefined;
  return keys.reduce((sum, key) => sum + (row.get(key) ?? 0), 0) / keys.length;
}
