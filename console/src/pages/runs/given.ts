// The inputs that a Run was given, out of what its first node received. Pure.

import { RESERVED, readInputs } from "~/canvas/inputs";
import { heldInputs } from "./run/forkInputs";

export type Given = readonly (readonly [name: string, value: unknown])[];

/** Without what the runtime adds. Where the flow's own inputs are known, under their names and in their order. */
export function given(
  flowInput: Readonly<Record<string, unknown>> | null,
  declared: Readonly<Record<string, unknown>> | null,
): Given {
  if (flowInput === null) return [];
  const known = declared === null ? [] : heldInputs(declared, flowInput);
  const named = new Set(declared === null ? [] : readInputs(declared).map(({ name }) => name));
  const others = Object.entries(flowInput).filter(([name]) => !RESERVED.includes(name) && !named.has(name));
  return [
    ...known.flatMap(({ name, fallback }) => (fallback === undefined ? [] : [[name, fallback] as const])),
    ...others,
  ];
}

/** Characters of one input in a list: more than a row is wide, and still a title that can be read. */
const SHOWN = 200;

/** On one line, for a list. */
export function givenLine(inputs: Given): string {
  return inputs.map(([name, value]) => `${name}: ${shortened(value)}`).join(", ");
}

function shortened(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const line = text.slice(0, SHOWN).replace(/\s+/g, " ");
  return text.length > SHOWN ? `${line}…` : line;
}
