// What the server found in a document, put on the step and field it is about. A finding says where in a JSON pointer
// before its text, or names the capability or flow that is not there.

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

export function locate(flow: FlowView, text: string): Finding {
  const unknown = UNKNOWN.exec(text);
  if (unknown) {
    const field = NAMING[unknown[1] as keyof typeof NAMING];
    const step = flow.steps.find(
      ({ members: { params } }) => (params as Record<string, unknown>)?.[field] === unknown[2],
    );
    return { message: text, key: step?.key, path: step ? ["params", field] : [] };
  }
  const pointed = POINTED.exec(text);
  if (!pointed) return { message: text, key: undefined, path: [] };
  const [, pointer = "", message = text] = pointed;
  const [first, second, ...rest] = pointer.slice(1).split("/").map(literal);
  const step = first === "steps" && second !== undefined ? flow.steps[Number(second)] : undefined;
  if (step) return { message, key: step.key, path: rest };
  return { message, key: undefined, path: [first, second, ...rest].filter((part) => part !== undefined) };
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
