// A word on coloured ground. `StateBadge` knows every state; `Badge` is for other labels.

import {
  Ban,
  CheckCircle2,
  Circle,
  CircleDashed,
  CircleHelp,
  Hourglass,
  LoaderCircle,
  type LucideIcon,
  RotateCcw,
  SkipForward,
  XCircle,
} from "lucide-react";
import type { ReactNode } from "react";
import { common as text } from "~/text/en/common";
import { cx } from "./cx";
import { TONE_SOFT, TONE_TEXT, type Tone, toneOf } from "./tones";

interface BadgeProps {
  tone?: Tone;
  icon?: LucideIcon;
  children: ReactNode;
  title?: string;
}

export function Badge({ tone = "idle", icon: Icon, children, title }: BadgeProps) {
  return (
    <span
      title={title}
      className={cx(
        "inline-flex h-5 items-center gap-1 whitespace-nowrap rounded-sm px-1.5 font-medium text-xs",
        TONE_SOFT[tone],
      )}
    >
      {Icon === undefined ? null : <Icon aria-hidden className="size-3" />}
      {children}
    </span>
  );
}

const STATE_ICONS: Readonly<Record<string, LucideIcon>> = {
  pending: CircleDashed,
  unreached: CircleDashed,
  created: CircleDashed,
  ready: CheckCircle2,
  starting: LoaderCircle,
  running: LoaderCircle,
  waiting: Hourglass,
  uncertain: CircleHelp,
  cancel_requested: Ban,
  accepted: CheckCircle2,
  succeeded: CheckCircle2,
  reused: RotateCcw,
  skipped: SkipForward,
  failed: XCircle,
  rejected: XCircle,
  cancelled: Ban,
  quarantined: XCircle,
  validated: Circle,
  unavailable: XCircle,
};

const MOVING = new Set(["starting", "running"]);

/** The picture of a state, for where its label stands beside it anyway. */
export function StateIcon({ state, className }: { state: string; className?: string }) {
  const Icon = STATE_ICONS[state] ?? Circle;
  return (
    <Icon
      aria-hidden
      className={cx("shrink-0", TONE_TEXT[toneOf(state)], MOVING.has(state) && "animate-spin", className ?? "size-4")}
    />
  );
}

export function stateLabel(state: string): string {
  return text.states[state] ?? state.replaceAll("_", " ");
}

/** The state of a Run, node, task or capability: word, colour and picture, so that none of them is needed alone. */
export function StateBadge({ state }: { state: string }) {
  const Icon = STATE_ICONS[state] ?? Circle;
  return (
    <span
      className={cx(
        "inline-flex h-5 items-center gap-1 whitespace-nowrap rounded-sm px-1.5 font-medium text-xs",
        TONE_SOFT[toneOf(state)],
      )}
    >
      <Icon aria-hidden className={cx("size-3", MOVING.has(state) && "animate-spin")} />
      {stateLabel(state)}
    </span>
  );
}
