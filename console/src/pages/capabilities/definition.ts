// The kinds of capabilities as a table: what each is asked for, and how a definition is made of what was typed. Hints
// for people; whether a definition holds is for the server to say. Pure.

import { CAPABILITY_KINDS, type CapabilityKind } from "~/canvas/kinds";

export const EFFECTS = [
  "pure_compute",
  "read_local",
  "read_external",
  "write_local",
  "write_external",
  "execute_process",
] as const;

export type Effect = (typeof EFFECTS)[number];

const WRITES: readonly Effect[] = ["write_local", "write_external"];

export interface FormField {
  readonly name: string;
  /** `lines` is a list of texts, `json` an object, `allow` a choice of tool kinds, `agent` one of the channel's agents. */
  readonly type: "text" | "lines" | "json" | "choice" | "allow" | "agent";
  readonly required?: boolean;
  /** Of a `choice`; the first is the usual one. */
  readonly options?: readonly string[];
}

export interface KindForm {
  readonly fields: readonly FormField[];
  /** Members that are always the same. */
  readonly fixed: Readonly<Record<string, string>>;
  readonly effects: readonly Effect[];
  readonly effectsAreFixed?: boolean;
  readonly timeout: { readonly usual: number; readonly max: number };
  /** Testing it is a real call. */
  readonly isCalled?: boolean;
}

const EXECUTABLE: FormField = { name: "executable", type: "text", required: true };
const ARGS: FormField = { name: "args", type: "lines" };
const PROBE: FormField = { name: "probe_args", type: "lines" };
const URL: FormField = { name: "url", type: "text", required: true };
const TOOL: FormField = { name: "tool", type: "text", required: true };
const TOOL_ARGUMENTS: FormField = { name: "arguments", type: "json" };
const CONTEXT: FormField = { name: "context_key", type: "text" };
const AGENT: readonly Effect[] = ["execute_process", "read_local", "read_external", "write_local", "write_external"];
const READER: readonly Effect[] = ["execute_process", "read_local", "read_external"];
const REMOTE: readonly Effect[] = ["read_external", "write_external"];
const SHORT = { usual: 30, max: 600 };
const LONG = { usual: 120, max: 600 };

export const KIND_FORMS: Readonly<Record<CapabilityKind, KindForm>> = {
  agent_cli: {
    fields: [
      EXECUTABLE,
      ARGS,
      { name: "input_mode", type: "choice", options: ["stdin", "argument"] },
      { name: "output_format", type: "choice", options: ["text", "opencode_jsonl"] },
      PROBE,
    ],
    fixed: {},
    effects: AGENT,
    timeout: LONG,
  },
  acp_agent: {
    fields: [
      { name: "agent", type: "agent", required: true },
      { name: "allow", type: "allow" },
      { name: "model", type: "text" },
      { name: "effort", type: "text" },
    ],
    fixed: {},
    effects: AGENT,
    effectsAreFixed: true,
    timeout: { usual: 3600, max: 86_400 },
  },
  model_cli: {
    fields: [EXECUTABLE, ARGS, PROBE],
    fixed: { protocol: "symphlo.model-inference.v1" },
    effects: READER,
    timeout: LONG,
  },
  evaluator_cli: {
    fields: [EXECUTABLE, ARGS, PROBE],
    fixed: { protocol: "symphlo.evaluation.v1" },
    effects: READER,
    timeout: LONG,
  },
  cli: {
    fields: [EXECUTABLE, ARGS],
    fixed: {},
    effects: ["execute_process", "read_local", "write_local"],
    timeout: SHORT,
    isCalled: true,
  },
  mcp_stdio: {
    fields: [EXECUTABLE, ARGS, TOOL, TOOL_ARGUMENTS, CONTEXT],
    fixed: {},
    effects: AGENT,
    timeout: SHORT,
  },
  mcp_http: {
    fields: [URL, TOOL, TOOL_ARGUMENTS, CONTEXT, { name: "token_env", type: "text" }],
    fixed: {},
    effects: REMOTE,
    timeout: SHORT,
  },
  http: {
    fields: [
      URL,
      { name: "method", type: "choice", options: ["POST", "GET"] },
      { name: "body", type: "json" },
      CONTEXT,
    ],
    fixed: {},
    effects: REMOTE,
    timeout: SHORT,
    isCalled: true,
  },
};

export const isKind = (kind: string): kind is CapabilityKind => (CAPABILITY_KINDS as readonly string[]).includes(kind);

/** What was typed. */
export interface Draft {
  readonly name: string;
  readonly id: string;
  readonly description: string;
  readonly timeout: string;
  readonly effects: readonly Effect[];
  /** By the name of the field. */
  readonly config: Readonly<Record<string, string | readonly string[]>>;
}

export function emptyDraft(kind: CapabilityKind): Draft {
  const form = KIND_FORMS[kind];
  const choices = form.fields.filter((field) => field.type === "choice");
  return {
    name: "",
    id: "",
    description: "",
    timeout: "",
    effects: form.effects,
    config: Object.fromEntries(choices.map((field) => [field.name, field.options?.[0] ?? ""])),
  };
}

export type ProblemCode = "required" | "json" | "name" | "id" | "timeout" | "effects" | "evaluator";

export interface Definition {
  readonly definition: Readonly<Record<string, unknown>>;
  /** By the name of the field. */
  readonly problems: Readonly<Record<string, ProblemCode>>;
}

const ID = /^[a-z0-9][a-z0-9._-]{2,63}$/;
const NAME_MAX = 120;

/** The definition that was typed, without what was left empty. */
export function define(kind: CapabilityKind, draft: Draft): Definition {
  const form = KIND_FORMS[kind];
  const problems: Record<string, ProblemCode> = {};
  const config: Record<string, unknown> = { ...form.fixed };
  for (const field of form.fields) {
    const value = read(field, draft.config[field.name]);
    if (value.problem !== undefined) problems[field.name] = value.problem;
    else if (value.value !== undefined) config[field.name] = value.value;
  }
  const name = draft.name.trim();
  if (name === "" || name.length > NAME_MAX) problems.name = "name";
  const id = draft.id.trim();
  if (id !== "" && !ID.test(id)) problems.id = "id";
  const timeout = draft.timeout.trim();
  const seconds = Number(timeout);
  if (timeout !== "" && !(/^\d+$/.test(timeout) && seconds >= 1 && seconds <= form.timeout.max)) {
    problems.timeout = "timeout";
  }
  if (draft.effects.length === 0) problems.effects = "effects";
  if (kind === "evaluator_cli" && draft.effects.some((effect) => WRITES.includes(effect)))
    problems.effects = "evaluator";
  return {
    definition: {
      kind,
      name,
      ...(id === "" ? {} : { id }),
      ...(draft.description.trim() === "" ? {} : { description: draft.description.trim() }),
      ...(timeout === "" ? {} : { timeout_seconds: seconds }),
      ...(form.effectsAreFixed === true ? {} : { effects: [...draft.effects] }),
      config,
    },
    problems,
  };
}

function read(
  field: FormField,
  typed: Draft["config"][string] | undefined,
): { value?: unknown; problem?: ProblemCode } {
  if (field.type === "allow") return Array.isArray(typed) && typed.length > 0 ? { value: [...typed] } : {};
  const text = typeof typed === "string" ? typed : "";
  if (text.trim() === "") return field.required === true ? { problem: "required" } : {};
  if (field.type === "json") {
    const value = parsed(text);
    return value === undefined ? { problem: "json" } : { value };
  }
  if (field.type === "lines") return { value: text.split("\n").filter((line) => line !== "") };
  return { value: text.trim() };
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
