// The kinds of steps as a table: what each may be bound to, and which fields mean something on it. These are hints for
// the editor; whether a document can be run is for the server to say.

export const KINDS = [
  "agent.task",
  "model.task",
  "tool.task",
  "evaluation.task",
  "human.task",
  "flow.task",
  "artifact.task",
] as const;

export type Kind = (typeof KINDS)[number];

export const CAPABILITY_KINDS = [
  "agent_cli",
  "acp_agent",
  "model_cli",
  "evaluator_cli",
  "cli",
  "mcp_stdio",
  "mcp_http",
  "http",
] as const;

export type CapabilityKind = (typeof CAPABILITY_KINDS)[number];

/** Fields that only documents of version 2 interpret. */
export const GRAPH_FIELDS = [
  "when",
  "for_each",
  "retry",
  "timeout_seconds",
  "deadline",
  "repair",
  "on_uncertain",
] as const;

export type GraphField = (typeof GRAPH_FIELDS)[number];

export interface KindRow {
  /** What a new step of this kind is called. */
  readonly idStem: string;
  readonly accepts: readonly CapabilityKind[];
  /** Cannot be run without a capability. */
  readonly needsCapability: boolean;
  /** Exists only in documents of version 2. */
  readonly needsGraph: boolean;
  readonly hasInstruction: boolean;
  readonly hasSession: boolean;
  readonly fields: readonly GraphField[];
}

const AROUND: readonly GraphField[] = ["when", "on_uncertain", "deadline"];
const REPEATABLE: readonly GraphField[] = ["when", "for_each", "retry", "timeout_seconds", "deadline", "on_uncertain"];

const row = (idStem: string, accepts: readonly CapabilityKind[], more: Partial<KindRow> = {}): KindRow => ({
  idStem,
  accepts,
  needsCapability: accepts.length > 0,
  needsGraph: false,
  hasInstruction: true,
  hasSession: false,
  fields: REPEATABLE,
  ...more,
});

export const KIND_ROWS: Readonly<Record<Kind, KindRow>> = {
  // Without a capability an agent's step is done by the Run's preset, or by the built-in role that has its id.
  "agent.task": row("agent", ["agent_cli", "acp_agent"], { needsCapability: false, hasSession: true }),
  "model.task": row("model", ["model_cli"]),
  "tool.task": row("tool", ["cli", "mcp_stdio", "mcp_http", "http"]),
  "evaluation.task": row("evaluation", ["evaluator_cli"], {
    fields: ["when", "retry", "timeout_seconds", "deadline", "repair", "on_uncertain"],
  }),
  "human.task": row("person", [], { needsGraph: true, fields: ["when"] }),
  "flow.task": row("subflow", [], { needsGraph: true, hasInstruction: false }),
  "artifact.task": row("publish", [], { hasInstruction: false, fields: AROUND }),
};

const CAPABILITY_KINDS_OF_GRAPHS: readonly string[] = ["acp_agent", "mcp_http"];

/** A step can be bound to it in documents of version 2 only. */
export function bindingNeedsGraph(kind: string): boolean {
  return CAPABILITY_KINDS_OF_GRAPHS.includes(kind);
}

/** `capability.task` is an old name for `tool.task`. `undefined`: no kind that is known here. */
export function kindOf(type: unknown): Kind | undefined {
  if (type === "capability.task") return "tool.task";
  return KINDS.find((kind) => kind === type);
}

/** The ids that the built-in roles answer to when a Run's executor is "deterministic". */
export const ROLE_IDS: readonly string[] = [
  "research-angle",
  "plan-article",
  "outline-article",
  "write-article",
  "draft-article",
  "review-draft",
  "edit-article",
  "revise-article",
];
