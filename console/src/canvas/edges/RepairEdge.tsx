// The way back from an evaluation to what it judges: below the steps, so that it is not taken for a handoff.

import { BaseEdge, type EdgeProps } from "@xyflow/react";
import { memo } from "react";
import { NODE_HEIGHT, NODE_WIDTH } from "../layout";

const DEPTH = 70;

export const RepairEdge = memo(function RepairEdge({ id, sourceX, sourceY, targetX, targetY, markerEnd }: EdgeProps) {
  const [fromX, fromY] = [sourceX - NODE_WIDTH / 2, sourceY + NODE_HEIGHT / 2];
  const [toX, toY] = [targetX + NODE_WIDTH / 2, targetY + NODE_HEIGHT / 2];
  const path = `M ${fromX} ${fromY} C ${fromX} ${fromY + DEPTH}, ${toX} ${toY + DEPTH}, ${toX} ${toY}`;
  return <BaseEdge id={id} path={path} {...(markerEnd === undefined ? {} : { markerEnd })} />;
});
