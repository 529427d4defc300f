// What the canvas and the panels say of each step beside what the document holds: who does it, what that may do, what
// is wrong with it. Gathered from the capabilities, the server's plan and its check.

import type { Capability, FlowPlan, FlowValidation } from "~/api/types";
import { flows as text } from "~/text/en/flows";
import { type FlowView, isRecord, type Step, textOf } from "./document";
import { type Finding, inOwnWords, locate } from "./findings";
import { KIND_ROWS, ROLE_IDS } from "./kinds";

export interface StepFacts {
  readonly executor: string;
  readonly isBound: boolean;
  /** `undefined`: not known yet. */
  readonly effects: readonly string[] | undefined;
  readonly writes: boolean;
  readonly problem: string | null;
}

export interface Facts {
  readonly steps: ReadonlyMap<string, StepFacts>;
  readonly findings: readonly Finding[];
  readonly capabilities: readonly Capability[];
}

const WRITES = ["write_local", "write_external"];

export function gather(
  flow: FlowView,
  capabilities: readonly Capability[],
  plan: FlowPlan | undefined,
  check: FlowValidation | undefined,
): Facts {
  const byId = new Map(capabilities.map((capability) => [capability.id, capability]));
  const planned = new Map((plan?.steps ?? []).map((step) => [step.step_id, step]));
  const findings = (check?.errors ?? []).map((error) => locate(flow, error.message));
  const steps = new Map<string, StepFacts>();
  for (const step of flow.steps) {
    const own = planned.get(step.id);
    const capability = step.capabilityId === undefined ? undefined : byId.get(step.capabilityId);
    const effects = effectsOf(step, capability) ?? own?.effects;
    const finding = findings.find((one) => one.key === step.key);
    steps.set(step.key, {
      ...boundTo(step, capability),
      effects,
      // The publisher writes into Segue's own folder; nobody is asked about that.
      writes: step.kind !== "artifact.task" && (effects ?? []).some((effect) => WRITES.includes(effect)),
      problem: finding?.message ?? (own?.problem ? inOwnWords(own.problem) : null),
    });
  }
  return { steps, findings, capabilities };
}

function boundTo(step: Step, capability: Capability | undefined): Pick<StepFacts, "executor" | "isBound"> {
  if (capability) return { executor: capability.name, isBound: true };
  if (step.capabilityId !== undefined && step.kind && KIND_ROWS[step.kind].accepts.length > 0)
    return { executor: text.step.capabilityGone(step.capabilityId), isBound: false };
  switch (step.kind) {
    case "artifact.task":
      return { executor: text.canvas.publisher, isBound: true };
    case "human.task":
      return { executor: text.canvas.person, isBound: true };
    case "flow.task": {
      const id = isRecord(step.members.params) ? textOf(step.members.params.flow_id) : undefined;
      return id ? { executor: id, isBound: true } : { executor: text.canvas.noFlow, isBound: false };
    }
    case "agent.task":
      return { executor: ROLE_IDS.includes(step.id) ? text.canvas.byRole : text.canvas.preset, isBound: true };
    default:
      return { executor: text.canvas.notBound, isBound: false };
  }
}

function effectsOf(step: Step, capability: Capability | undefined): readonly string[] | undefined {
  if (step.kind === "artifact.task") return ["pure_compute", "write_local"];
  if (step.kind === "human.task") return ["read_external"];
  return capability?.effects;
}
