// The handoffs of a large flow, drawn as a few paths instead of one element each: a browser paints those while the
// canvas moves, and cannot do so with thousands. Edges of what is selected are drawn one by one, above these.

import { ViewportPortal } from "@xyflow/react";
import { memo, useMemo } from "react";
import type { Edge } from "../graph";
import { NODE_HEIGHT, NODE_WIDTH, type Places } from "../layout";

/** Edges of one path: few enough that what is out of sight is skipped, many enough that there are few paths. */
const PER_PATH = 64;
const BEND_MIN = 36;

export const BulkEdges = memo(function BulkEdges({ edges, places }: { edges: readonly Edge[]; places: Places }) {
  const paths = useMemo(() => {
    const all: string[] = [];
    for (let start = 0; start < edges.length; start += PER_PATH)
      all.push(
        edges
          .slice(start, start + PER_PATH)
          .map((edge) => curve(edge, places))
          .join(""),
      );
    return all;
  }, [edges, places]);
  return (
    <ViewportPortal>
      <svg aria-hidden className="bulk-edges pointer-events-none absolute -z-10 overflow-visible" width={1} height={1}>
        {paths.map((path, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: paths have no identity of their own
          <path key={index} d={path} fill="none" stroke="var(--ink-3)" strokeWidth={1.5} />
        ))}
      </svg>
    </ViewportPortal>
  );
});

function curve({ source, target }: Edge, places: Places): string {
  const [from, to] = [places.get(source), places.get(target)];
  if (from === undefined || to === undefined) return "";
  const [x1, y1, x2, y2] = [from.x + NODE_WIDTH, from.y + NODE_HEIGHT / 2, to.x, to.y + NODE_HEIGHT / 2];
  const bend = Math.max(BEND_MIN, Math.abs(x2 - x1) / 2);
  return `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
}
