// What a step may do, in words. A publisher and a person are part of Segue and said as what they are: their effects as the
// record has them would say that a person is a service, and that publishing both writes and only computes.

import { effects as words } from "~/text/en/effects";
import { type Kind, kindOf } from "./kinds";

export interface Said {
  readonly effect: string;
  readonly label: string;
  /** It writes where a person has to allow it. */
  readonly warns: boolean;
}

const COMPUTES = "pure_compute";

const BUILTINS: Readonly<Record<string, Kind>> = {
  "builtin.markdown-publication": "artifact.task",
  "builtin.person": "human.task",
};

/** `who` is a kind of step, or the id of an executor. */
export function said(who: string | undefined, effects: readonly string[]): readonly Said[] {
  const kind = BUILTINS[who ?? ""] ?? kindOf(who);
  const own = kind === "artifact.task" ? "write_local" : kind === "human.task" ? "read_external" : undefined;
  if (own !== undefined && effects.includes(own))
    return [{ effect: own, label: own === "write_local" ? words.publishes : words.asks, warns: false }];
  // "Only" is true of what does nothing else.
  const told = effects.length > 1 ? effects.filter((effect) => effect !== COMPUTES) : effects;
  return told.map((effect) => ({
    effect,
    label: words.labels[effect] ?? effect,
    warns: effect.startsWith("write"),
  }));
}
