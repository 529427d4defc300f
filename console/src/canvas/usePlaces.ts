// Where the steps of a flow stand. Laying out is dear for large flows, so that it is done only when the graph itself
// changes, not when a step's text does.

import { useMemo } from "react";
import type { FlowView } from "./document";
import { edges } from "./graph";
import { type Places, place } from "./layout";

function shape(flow: FlowView): string {
  const links = edges(flow).map((edge) => edge.id);
  return JSON.stringify([flow.steps.map((step) => step.key), links]);
}

export function usePlaces(flow: FlowView, moved: Places): Places {
  const key = useMemo(() => shape(flow), [flow]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the shape stands for the flow
  return useMemo(() => place(flow, moved), [key, moved]);
}
