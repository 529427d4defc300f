// What changed between two versions of a flow, step by step and member by member.

export type Members = Readonly<Record<string, unknown>>;

export interface Change {
  readonly member: string;
  /** `undefined`: it was not there. */
  readonly before: unknown;
  readonly after: unknown;
}

export interface StepDifference {
  readonly id: string;
  readonly title: string;
  readonly kind: "added" | "removed" | "changed";
  readonly changes: readonly Change[];
}

/** In the order of the later version; what was removed stands at the end. Steps that are the same are left out. */
export function difference(before: readonly Members[], after: readonly Members[], idOf: string): StepDifference[] {
  const known = byId(before, idOf);
  const now = byId(after, idOf);
  const changed = [...now].flatMap(([id, step]): StepDifference[] => {
    const old = known.get(id);
    if (old === undefined) return [{ id, title: titleOf(step, id), kind: "added", changes: [] }];
    const changes = compare(old, step);
    return changes.length === 0 ? [] : [{ id, title: titleOf(step, id), kind: "changed", changes }];
  });
  const removed = [...known].filter(([id]) => !now.has(id));
  return [
    ...changed,
    ...removed.map(([id, step]): StepDifference => ({ id, title: titleOf(step, id), kind: "removed", changes: [] })),
  ];
}

function byId(steps: readonly Members[], idOf: string): Map<string, Members> {
  return new Map(steps.map((step) => [String(step[idOf]), step]));
}

function titleOf(step: Members, id: string): string {
  return typeof step.title === "string" && step.title !== "" ? step.title : id;
}

function compare(before: Members, after: Members): Change[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((member) =>
    same(before[member], after[member]) ? [] : [{ member, before: before[member], after: after[member] }],
  );
}

/** Members may stand in any order; items of a list may not. `null` is as good as not there. */
function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(ordered(a)) === JSON.stringify(ordered(b));
}

function ordered(value: unknown): unknown {
  if (value === undefined) return null;
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, ordered(member)]),
  );
}
