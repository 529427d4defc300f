// Stands in for the boxes and lines of a large flow while it is seen from far away, with an overview of all of it.

import { useStoreApi, ViewportPortal } from "@xyflow/react";
import { memo, useEffect, useMemo, useRef } from "react";
import { useShownTheme } from "~/components/theme";
import type { Edge } from "../graph";
import type { StepNodeType } from "../nodes/StepNode";
import { Overview } from "./Overview";
import type { Pane } from "./pane";
import { hang } from "./picture";
import { reach } from "./reach";
import { boundsOf, type Scene } from "./sketch";

interface FarViewProps {
  nodes: readonly StepNodeType[];
  edges: readonly Edge[];
  /** Below this zoom it is shown. */
  below: number;
  /** The view is about to be moved. */
  onMove: () => void;
}

export const FarView = memo(function FarView({ nodes, edges, below, onMove }: FarViewProps) {
  const sheet = useRef<HTMLCanvasElement>(null);
  const store = useStoreApi();
  const theme = useShownTheme();
  const scene = useMemo(() => sceneOf(nodes, edges), [nodes, edges]);
  const pane = useMemo(
    (): Pane => ({
      now: store.getState,
      onMove: (moved) =>
        store.subscribe((now, before) => {
          if (now.transform !== before.transform || now.width !== before.width || now.height !== before.height) moved();
        }),
      below,
    }),
    [store, below],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: another theme has other colours
  useEffect(() => (sheet.current === null ? undefined : hang(sheet.current, pane, scene)), [pane, scene, theme]);
  useEffect(() => {
    const canvas = sheet.current?.closest<HTMLElement>(".react-flow");
    const steps = canvas?.querySelector<HTMLElement>(".react-flow__nodes");
    return canvas && steps ? reach(canvas, steps, pane, scene) : undefined;
  }, [pane, scene]);
  // A flow that has become small is painted step by step again.
  useEffect(() => {
    const steps = sheet.current?.closest(".react-flow")?.querySelector<HTMLElement>(".react-flow__nodes");
    return () => void steps?.style.removeProperty("clip");
  }, []);

  return (
    <>
      <ViewportPortal>
        <canvas ref={sheet} aria-hidden className="far-view pointer-events-none absolute top-0 left-0 -z-10" />
      </ViewportPortal>
      <Overview pane={pane} scene={scene} onMove={onMove} />
    </>
  );
});

function sceneOf(nodes: readonly StepNodeType[], edges: readonly Edge[]): Scene {
  const places = new Map(nodes.map((node) => [node.id, node.position]));
  return {
    boxes: nodes.map(({ id, position: { x, y }, selected, data: { problem, step } }) => ({
      id,
      title: step.title || step.key,
      x,
      y,
      look: selected === true ? "chosen" : problem === null ? "plain" : "wrong",
    })),
    lines: edges.flatMap(({ source, target }) => {
      const [from, to] = [places.get(source), places.get(target)];
      return from && to ? [[from, to] as const] : [];
    }),
    bounds: boundsOf([...places.values()]),
  };
}
