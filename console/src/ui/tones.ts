// Colours by what they mean, and which state means what. The only table of its kind: pages ask it.

export type Tone = "ok" | "run" | "wait" | "bad" | "idle" | "accent";

/** A label on its own ground. */
export const TONE_SOFT: Readonly<Record<Tone, string>> = {
  ok: "bg-ok-soft text-ok",
  run: "bg-run-soft text-run",
  wait: "bg-wait-soft text-wait",
  bad: "bg-bad-soft text-bad",
  idle: "bg-idle-soft text-idle",
  accent: "bg-accent-soft text-accent",
};

/** Text and pictures on the page's ground. */
export const TONE_TEXT: Readonly<Record<Tone, string>> = {
  ok: "text-ok",
  run: "text-run",
  wait: "text-wait",
  bad: "text-bad",
  idle: "text-idle",
  accent: "text-accent",
};

/** Lines and dots. */
export const TONE_FILL: Readonly<Record<Tone, string>> = {
  ok: "bg-ok",
  run: "bg-run",
  wait: "bg-wait",
  bad: "bg-bad",
  idle: "bg-idle",
  accent: "bg-accent",
};

const STATE_TONES: Readonly<Record<string, Tone>> = {
  pending: "idle",
  unreached: "idle",
  ready: "ok",
  created: "idle",
  starting: "run",
  running: "run",
  waiting: "wait",
  uncertain: "wait",
  cancel_requested: "wait",
  accepted: "ok",
  succeeded: "ok",
  reused: "ok",
  skipped: "idle",
  failed: "bad",
  rejected: "bad",
  cancelled: "idle",
  quarantined: "bad",
  validated: "idle",
  unavailable: "bad",
};

export function toneOf(state: string): Tone {
  return STATE_TONES[state] ?? "idle";
}
