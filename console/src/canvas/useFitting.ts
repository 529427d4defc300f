// Shows all of a graph for as long as nobody has looked closer: again whenever its pane gets another size, or the graph
// another node.

import { type FitViewOptions, useReactFlow } from "@xyflow/react";
import { type RefObject, useCallback, useEffect, useRef } from "react";

export interface Fitting {
  /** Somebody moves the view or a node: from now on it stays where it is put. */
  readonly hold: () => void;
  /** Shows everything, and goes on showing it. */
  readonly fit: () => void;
}

export function useFitting(around: RefObject<HTMLElement | null>, shown: unknown, options: FitViewOptions): Fitting {
  const { fitView } = useReactFlow();
  const held = useRef(false);
  const refit = useCallback(() => {
    // After React Flow has seen the new size as well.
    if (!held.current) requestAnimationFrame(() => void fitView(options));
  }, [fitView, options]);
  useEffect(() => {
    if (around.current === null) return;
    const observer = new ResizeObserver(refit);
    observer.observe(around.current);
    return () => observer.disconnect();
  }, [around, refit]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is shown changes with it
  useEffect(refit, [shown, refit]);
  return {
    hold: useCallback(() => {
      held.current = true;
    }, []),
    fit: useCallback(() => {
      held.current = false;
      void fitView(options);
    }, [fitView, options]),
  };
}
