// What the steps of a saved flow are called. Pure.

import type { SavedFlow } from "~/api/types";
import { isRecord, textOf } from "~/canvas/document";

/** A step without a title, or of a flow that is not there, goes by its id. */
export function titlesOf(saved: SavedFlow | undefined): (stepId: string) => string {
  const steps = saved?.flow.steps;
  const named = (Array.isArray(steps) ? steps : []).flatMap((step): [string, string][] => {
    if (!isRecord(step)) return [];
    const [id, title] = [textOf(step.id), isRecord(step.params) ? textOf(step.params.title) : undefined];
    return id === undefined || title === undefined ? [] : [[id, title]];
  });
  const titles = new Map(named);
  return (id) => titles.get(id) ?? id;
}
