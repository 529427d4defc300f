// What the server found in a document, put on the step and field it is about. A finding says where in a JSON pointer
// before its text, or names the capability or flow that is not there.

import { flows as text } from "~/text/en/flows";
import type { FlowView } from "./document";

export interface Finding {
  readonly message: string;
  /** The step it is about, if it is about one. */
  readonly key: string | undefined;
  /** The members that lead to what is wrong: `["params", "capability_id"]`. */
  readonly path: readonly string[];
}

const POINTED = /^(\/[^\s:]*): ([\s\S]*)$/;
const UNKNOWN = /^there is no (capability|flow) "(.*)"$/;
const NAMING = { capability: "capability_id", flow: "flow_id" } as const;

export function locate(flow: FlowView, found: string): Finding {
  const unknown = UNKNOWN.exec(found);
  if (unknown) {
    const field = NAMING[unknown[1] as keyof typeof NAMING];
    const step = flow.steps.find(
      ({ members: { params } }) => (params as Record<string, unknown>)?.[field] === unknown[2],
    );
    return { message: found, key: step?.key, path: step ? ["params", field] : [] };
  }
  const pointed = POINTED.exec(found);
  if (!pointed) return { message: found, key: undefined, path: [] };
  const [, pointer = "", said = found] = pointed;
  const message = inOwnWords(said);
  const [first, second, ...rest] = pointer.slice(1).split("/").map(literal);
  const step = first === "steps" && second !== undefined ? flow.steps[Number(second)] : undefined;
  if (step) return { message, key: step.key, path: rest };
  return { message, key: undefined, path: [first, second, ...rest].filter((part) => part !== undefined) };
}

const UNBOUND = /^(?:\S+ )?must be bound to a capability(.*)$/;

/** What an author is to do about it, where the server names types and members. */
export function inOwnWords(message: string): string {
  switch (UNBOUND.exec(message)?.[1]) {
    case "":
      return text.check.unbound;
    case ", or have the id of a built-in role":
      return text.check.unboundRole;
    case ", or run by an agent that is chosen with the run":
      return text.check.unboundPreset;
    default:
      return message;
  }
}

function literal(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** What stands at a field, or inside of it. */
export function at(
  findings: readonly Finding[],
  key: string | undefined,
  field: readonly string[],
): string | undefined {
  return findings.find(
    (finding) => finding.key === key && field.length > 0 && field.every((part, index) => finding.path[index] === part),
  )?.message;
}
