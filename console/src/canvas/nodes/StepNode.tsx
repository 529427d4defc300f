// One step on the canvas. It is drawn again only when its own step, its binding or its problem changes: with a thousand
// of them that is what keeps the canvas moving.

import { Handle, type Node, type NodeProps, Position } from "@xyflow/react";
import { GitBranch, HelpCircle, Layers, MessagesSquare, PenLine, RotateCw, TriangleAlert } from "lucide-react";
import { memo } from "react";
import { flows as text } from "~/text/en/flows";
import { cx } from "~/ui/cx";
import type { Step } from "../document";
import { NODE_HEIGHT, NODE_WIDTH } from "../layout";
import { KIND_ICONS, KIND_TONES } from "./look";

export interface StepData extends Record<string, unknown> {
  readonly step: Step;
  /** Who does it. */
  readonly executor: string;
  readonly isBound: boolean;
  readonly writes: boolean;
  readonly problem: string | null;
}

export type StepNodeType = Node<StepData, "step">;

const SIZE = { width: NODE_WIDTH, height: NODE_HEIGHT };

const HANDLE = "!size-2.5 !border-2 !border-surface !bg-line-strong";

export const StepNode = memo(function StepNode({ data, selected }: NodeProps<StepNodeType>) {
  const { step, executor, isBound, writes, problem } = data;
  const Icon = step.kind ? KIND_ICONS[step.kind] : HelpCircle;
  return (
    <div
      style={SIZE}
      className={cx(
        "step-node flex flex-col rounded-lg border bg-surface px-2.5 py-2 text-left",
        selected ? "border-accent ring-2 ring-accent" : problem === null ? "border-line-strong" : "border-bad",
      )}
    >
      <Handle type="target" position={Position.Left} className={HANDLE} />
      <div className="step-head flex min-w-0 items-center gap-2">
        <span
          className={cx(
            "flex size-6 shrink-0 items-center justify-center rounded-md",
            step.kind ? KIND_TONES[step.kind] : "bg-bad-soft text-bad",
          )}
        >
          <Icon aria-hidden className="size-3.5" />
        </span>
        <span className="step-text min-w-0 flex-1">
          <span className="step-title block truncate font-semibold text-sm leading-4">{step.title || step.key}</span>
          <span className="step-kind block truncate text-2xs text-ink-3 leading-4">
            {step.kind ? text.kinds[step.kind] : text.unknownKind(step.type)} · {step.id}
          </span>
        </span>
        {problem === null ? null : <TriangleAlert aria-hidden className="size-4 shrink-0 text-bad" />}
      </div>
      <div className="step-text mt-auto flex min-w-0 items-center gap-1.5 border-line border-t pt-1.5">
        <span className={cx("min-w-0 flex-1 truncate text-xs", isBound ? "text-ink-2" : "text-wait")}>{executor}</span>
        <Marks step={step} writes={writes} />
      </div>
      <Handle type="source" position={Position.Right} className={HANDLE} />
    </div>
  );
});

const MARKS = [
  ["when", GitBranch],
  ["for_each", Layers],
  ["retry", RotateCw],
] as const;

function Marks({ step, writes }: { step: Step; writes: boolean }) {
  const { members } = step;
  return (
    <>
      {MARKS.map(([field, Icon]) =>
        members[field] ? (
          <Icon key={field} aria-label={text.canvas.marks[field]} className="size-3.5 shrink-0 text-ink-3" />
        ) : null,
      )}
      {members.session_group ? (
        <MessagesSquare aria-label={text.canvas.marks.session} className="size-3.5 shrink-0 text-ink-3" />
      ) : null}
      {writes ? <PenLine aria-label={text.canvas.marks.writes} className="size-3.5 shrink-0 text-wait" /> : null}
    </>
  );
}
