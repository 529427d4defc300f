// Typed inputs of a flow: what the form of a run asks, and the values it sends. The server judges them again; what is
// wrong here never reaches it.

import { isRecord, textOf } from "./document";

export const INPUT_TYPES = ["string", "number", "integer", "boolean", "object", "array"] as const;

export type InputType = (typeof INPUT_TYPES)[number];

/** Names that the runtime itself fills. */
export const RESERVED = ["goal", "topic", "audience", "granularity", "required_principles", "workspace"];

export const INPUT_NAME = /^[A-Za-z][A-Za-z0-9_-]{0,63}$/;

export interface Input {
  readonly name: string;
  readonly type: InputType;
  readonly required: boolean;
  /** `undefined`: none. */
  readonly fallback: unknown;
  readonly description: string;
  readonly label: string;
}

/** What is typed into the form: text for everything but a boolean. Absent: untouched. */
export type Drafts = Readonly<Record<string, string | boolean>>;

export type InputProblem =
  | "required"
  | "not_number"
  | "not_integer"
  | "not_json"
  | "not_object"
  | "not_array"
  | "not_boolean";

export interface Filled {
  /** JSON text of each value that was supplied, so that numbers stay as they were typed. */
  readonly values: Readonly<Record<string, string>>;
  readonly problems: Readonly<Record<string, { readonly code: InputProblem; readonly detail?: string }>>;
}

export function readInputs(declared: Readonly<Record<string, unknown>>): Input[] {
  return Object.entries(declared).map(([name, value]) => {
    const members = isRecord(value) ? value : {};
    return {
      name,
      type: INPUT_TYPES.find((type) => type === members.type) ?? "string",
      required: members.required === true,
      fallback: members.default ?? undefined,
      description: textOf(members.description) ?? "",
      label: textOf(members.title) ?? textOf(members.label) ?? name,
    };
  });
}

/** What a form shows of a default. */
export function draftOf(input: Input): string | boolean {
  const { fallback, type } = input;
  if (type === "boolean") return fallback === true;
  if (fallback === undefined) return "";
  return typeof fallback === "string" ? fallback : JSON.stringify(fallback, null, 2);
}

/** Drafts of inputs that are still of the type they were typed for; the others begin anew. */
export function keepDrafts(drafts: Drafts, before: readonly Input[], now: readonly Input[]): Drafts {
  const same = now.filter((input) => before.some((old) => old.name === input.name && old.type === input.type));
  return Object.fromEntries(
    same.flatMap(({ name }) => {
      const draft = drafts[name];
      return draft === undefined ? [] : [[name, draft]];
    }),
  );
}

export function fill(inputs: readonly Input[], drafts: Drafts): Filled {
  const values: Record<string, string> = {};
  const problems: Record<string, { code: InputProblem; detail?: string }> = {};
  for (const input of inputs) {
    const draft = drafts[input.name];
    if (draft === undefined) {
      // Untouched: the server's default counts, so that it is taken as the document has it.
      if (input.required && input.fallback === undefined && input.type !== "boolean")
        problems[input.name] = { code: "required" };
      else if (input.required && input.fallback === undefined) values[input.name] = "false";
      continue;
    }
    const read = readValue(input, draft);
    if ("json" in read) values[input.name] = read.json;
    else if ("problem" in read) problems[input.name] = read.problem;
    else if (input.required) problems[input.name] = { code: "required" };
    // Emptied by hand: missing, also when there is a default.
    else if (input.fallback !== undefined) values[input.name] = "null";
  }
  return { values, problems };
}

type Read = { json: string } | { problem: { code: InputProblem; detail?: string } } | { empty: true };

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const INTEGER = /^-?(0|[1-9]\d*)$/;

function readValue(input: Input, draft: string | boolean): Read {
  if (typeof draft === "boolean") return { json: String(draft) };
  if (input.type === "string") return draft === "" ? { empty: true } : { json: JSON.stringify(draft) };
  const text = draft.trim();
  if (text === "") return { empty: true };
  switch (input.type) {
    case "number":
      return NUMBER.test(text) && Number.isFinite(Number(text)) ? { json: text } : { problem: { code: "not_number" } };
    case "integer":
      return INTEGER.test(text) ? { json: text } : { problem: { code: "not_integer" } };
    case "boolean":
      return text === "true" || text === "false" ? { json: text } : { problem: { code: "not_boolean" } };
    case "object":
    case "array":
      return readJson(input.type, text);
  }
}

function readJson(type: "object" | "array", text: string): Read {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: { code: "not_json", detail: error instanceof Error ? error.message : String(error) } };
  }
  if (type === "object") return isRecord(value) ? { json: text } : { problem: { code: "not_object" } };
  return Array.isArray(value) ? { json: text } : { problem: { code: "not_array" } };
}

/** The object of inputs as JSON text. */
export function inputsJson(filled: Filled): string {
  const members = Object.entries(filled.values).map(([name, json]) => `${JSON.stringify(name)}:${json}`);
  return `{${members.join(",")}}`;
}
