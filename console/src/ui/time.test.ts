import { expect, test } from "vitest";
import { bytes, duration, relative } from "./time";

const NOW = Date.parse("2026-11-30T12:00:00Z");
const before = (ms: number) => relative(new Date(NOW - ms).toISOString(), NOW);

test("a moment is told by its distance, in both directions", () => {
  const told = [0, 12_000, 3 * 60_000, 5 * 3_600_000, 2 * 86_400_000, -90_000].map(before);
  expect(told).toEqual(["just now", "12 s ago", "3 min ago", "5 h ago", "2 d ago", "in 2 min"]);
});

test("a moment long ago is a date, and what is no moment is shown as it is", () => {
  expect(before(30 * 86_400_000)).toMatch(/^2026-10-3[01]$/);
  expect(relative("soon", NOW)).toBe("soon");
});

test("a span has two units at most", () => {
  const told = [840, 3_210, 42_000, 245_000, 7_440_000, 273_600_000, Number.NaN].map(duration);
  expect(told).toEqual(["840 ms", "3.2 s", "42 s", "4 min 05 s", "2 h 04 min", "3 d 4 h", "–"]);
});

test("a size is told in the unit that reads best", () => {
  expect([812, 4_100, 23_400, 999_900, 2_300_000_000].map(bytes)).toEqual([
    "812 B",
    "4.1 kB",
    "23 kB",
    "1.0 MB",
    "2.3 GB",
  ]);
});
