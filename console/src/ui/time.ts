// Times and durations as text. Pure: the present moment is an argument.

import { common as text } from "~/text/en/common";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `3 min ago`, `in 2 h`; a date when that is further away than a week. */
export function relative(iso: string, now: number): string {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return iso;
  const gone = now - at;
  const distance = Math.abs(gone);
  if (distance < 5 * SECOND) return text.time.now;
  if (distance > 7 * DAY) return exact(iso).slice(0, 10);
  const past = gone > 0;
  if (distance < MINUTE) {
    const n = Math.round(distance / SECOND);
    return past ? text.time.seconds(n) : text.time.inSeconds(n);
  }
  if (distance < HOUR) {
    const n = Math.round(distance / MINUTE);
    return past ? text.time.minutes(n) : text.time.inMinutes(n);
  }
  if (distance < DAY) {
    const n = Math.round(distance / HOUR);
    return past ? text.time.hours(n) : text.time.inHours(n);
  }
  const n = Math.round(distance / DAY);
  return past ? text.time.days(n) : text.time.inDays(n);
}

/** The reader's own time, to the millisecond: `2026-11-30 18:02:11.042`. */
export function exact(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  const two = (n: number) => String(n).padStart(2, "0");
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const clock = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  return `${day} ${clock}.${String(at.getMilliseconds()).padStart(3, "0")}`;
}

/** `840 ms`, `3.2 s`, `4 min 05 s`, `2 h 04 min`, `3 d 4 h`. */
export function duration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return "–";
  if (ms < SECOND) return `${Math.round(ms)} ms`;
  if (ms < 10 * SECOND) return `${(ms / SECOND).toFixed(1)} s`;
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  const two = (n: number) => String(Math.floor(n)).padStart(2, "0");
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min ${two((ms % MINUTE) / SECOND)} s`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h ${two((ms % HOUR) / MINUTE)} min`;
  return `${Math.floor(ms / DAY)} d ${Math.floor((ms % DAY) / HOUR)} h`;
}

/** `812 B`, `4.1 kB`, `2.3 MB`. */
export function bytes(count: number): string {
  if (count < 1_000) return `${count} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let value = count / 1_000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}
