import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

/** In the environment of everything a test starts, whoever its parent is by now. */
export const MARK = "SEGUE_TEST_MARK";
/** Between two looks; the end of a foreign process wakes nobody. */
const LOOK_AGAIN_MS = 20;

/** The processes that carry a mark and are no zombies: pid and command line. */
export function marked(value: string): Map<number, string> {
  const wanted = `${MARK}=${value}`;
  const found = new Map<number, string>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    // What ends meanwhile, or belongs to someone else, reads as nothing.
    if (read(`/proc/${name}/environ`).split("\0").includes(wanted)) {
      found.set(Number(name), read(`/proc/${name}/cmdline`).split("\0").join(" ").trim());
    }
  }
  return found;
}

/** Waits until nothing carries the mark; what still does after `ms` is ended, and given. */
export async function gone(value: string, ms: number): Promise<string[]> {
  const until = Date.now() + ms;
  while (marked(value).size > 0) {
    if (Date.now() > until) return end(value);
    await pause(LOOK_AGAIN_MS);
  }
  return [];
}

/** `kill -9` of whatever carries the mark, the oldest first; what that was. */
export function end(value: string): string[] {
  const left = marked(value);
  for (const pid of left.keys()) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ended by itself.
    }
  }
  return [...left].map(([pid, command]) => `${pid} ${command}`);
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}
