// The inputs of a Run that was: what a form shows of them, and which of them a fork is to have otherwise. Pure.

import { type Filled, type Input, readInputs } from "~/canvas/inputs";

/** The one input that the Flow input holds under another name. */
const REPORT_FOCUS = { name: "report_focus", heldAs: "topic" };

/** The declared inputs, each with the value that the Run had for its default. */
export function heldInputs(
  declared: Readonly<Record<string, unknown>>,
  flowInput: Readonly<Record<string, unknown>>,
): Input[] {
  return readInputs(declared).map((input) => {
    const held = flowInput[input.name === REPORT_FOCUS.name ? REPORT_FOCUS.heldAs : input.name];
    return { ...input, fallback: held ?? undefined };
  });
}

/** What was filled in that is not as it was; null takes an input away. Null when nothing was changed. */
export function changedInputs(inputs: readonly Input[], filled: Filled): Record<string, unknown> | null {
  const changed = inputs.flatMap((input) => {
    const json = filled.values[input.name];
    if (json === undefined) return [];
    const value: unknown = JSON.parse(json);
    return JSON.stringify(value) === JSON.stringify(input.fallback) ? [] : [[input.name, value] as const];
  });
  return changed.length === 0 ? null : Object.fromEntries(changed);
}
