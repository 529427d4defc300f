// Kinds of nodes, with their names and pictures.

import {
  BadgeCheck,
  Bot,
  BrainCircuit,
  CircleDot,
  FileText,
  type LucideIcon,
  UserRound,
  Workflow,
  Wrench,
} from "lucide-react";
import { kinds as text } from "~/text/en/kinds";

export const KIND_ICONS: Readonly<Record<string, LucideIcon>> = {
  "agent.task": Bot,
  "model.task": BrainCircuit,
  "evaluation.task": BadgeCheck,
  "tool.task": Wrench,
  "capability.task": Wrench,
  "artifact.task": FileText,
  "human.task": UserRound,
  "flow.task": Workflow,
  default: CircleDot,
};

export function kindLabel(kind: string): string {
  return text[kind] ?? kind;
}
