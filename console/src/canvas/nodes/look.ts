// How each kind of step looks.

import { Bot, BrainCircuit, FileOutput, type LucideIcon, Scale, UserRound, Workflow, Wrench } from "lucide-react";
import type { Kind } from "../kinds";

export const KIND_ICONS: Readonly<Record<Kind, LucideIcon>> = {
  "agent.task": Bot,
  "model.task": BrainCircuit,
  "tool.task": Wrench,
  "evaluation.task": Scale,
  "human.task": UserRound,
  "flow.task": Workflow,
  "artifact.task": FileOutput,
};

/** Colour of the icon, in light and dark. */
export const KIND_TONES: Readonly<Record<Kind, string>> = {
  "agent.task": "text-accent bg-accent-soft",
  "model.task": "text-run bg-run-soft",
  "tool.task": "text-ink-2 bg-sunken",
  "evaluation.task": "text-wait bg-wait-soft",
  "human.task": "text-bad bg-bad-soft",
  "flow.task": "text-run bg-run-soft",
  "artifact.task": "text-ok bg-ok-soft",
};
