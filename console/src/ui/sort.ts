// The order of what a table is sorted by: numbers by size, texts as a reader expects (`run-2` before `run-10`), and
// what is missing last.

export type SortKey = string | number | null | undefined;

const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

export function compareKeys(left: SortKey, right: SortKey): number {
  if (left === null || left === undefined) return right === null || right === undefined ? 0 : 1;
  if (right === null || right === undefined) return -1;
  if (typeof left === "number" && typeof right === "number") return left - right;
  return collator.compare(String(left), String(right));
}
