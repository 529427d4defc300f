// An edge that goes around boxes, and the way back from an evaluation to what it judges.

import { BaseEdge, type Edge, type EdgeProps } from "@xyflow/react";
import { memo } from "react";
import { backPath, forwardPath, type Lane, type Way } from "./lanes";

export type LaneEdgeType = Edge<{ lane: Lane; way: Way; back: boolean }, "lane">;

export const LaneEdge = memo(function LaneEdge(props: EdgeProps<LaneEdgeType>) {
  const { id, sourceX, sourceY, targetX, targetY, data, markerEnd } = props;
  if (data === undefined) return null;
  const [from, to] = [
    { x: sourceX, y: sourceY },
    { x: targetX, y: targetY },
  ];
  const path = (data.back ? backPath : forwardPath)(from, to, data.lane, data.way);
  return <BaseEdge id={id} path={path} {...(markerEnd === undefined ? {} : { markerEnd })} />;
});
