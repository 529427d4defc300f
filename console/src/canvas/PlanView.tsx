// What the document would do here and now, as the server sees it: in which order, done by whom, with which effects.

import type { FlowPlan } from "~/api/types";
import { flows as text } from "~/text/en/flows";
import { Badge } from "~/ui/Badge";
import { ErrorNotice } from "~/ui/ErrorNotice";
import { type Column, Table } from "~/ui/Table";
import { useEditorStore } from "./editor";
import { said } from "./effects";
import { inOwnWords } from "./findings";

const words = text.plan;

type PlannedStep = FlowPlan["steps"][number];

interface PlanViewProps {
  plan: FlowPlan | undefined;
  error: unknown;
  /** Shows a step on the canvas. */
  onShow: (key: string) => void;
}

export function PlanView({ plan, error, onShow }: PlanViewProps) {
  const store = useEditorStore();
  const columns: readonly Column<PlannedStep>[] = [
    {
      id: "step",
      header: words.columns.step,
      cell: (step) => (
        <button
          type="button"
          className="text-left font-medium hover:text-accent hover:underline"
          onClick={() => {
            store.getState().select([step.step_id]);
            onShow(step.step_id);
          }}
        >
          {step.title}
          <span className="block font-normal text-ink-3 text-xs">
            {words.stage(step.stage)} · {step.step_id}
          </span>
        </button>
      ),
    },
    { id: "executor", header: words.columns.executor, cell: (step) => step.executor ?? words.noExecutor },
    {
      id: "effects",
      header: words.columns.effects,
      cell: (step) => (
        <span className="flex flex-wrap gap-1">
          {said(step.node_type, step.effects).map(({ effect, label, warns }) => (
            <Badge key={effect} tone={warns ? "wait" : "idle"} title={effect}>
              {label}
            </Badge>
          ))}
        </span>
      ),
    },
    { id: "risk", header: words.columns.risk, cell: (step) => words.risks[step.risk_level] ?? step.risk_level },
    {
      id: "problem",
      header: words.columns.problem,
      cell: (step) => (step.problem === null ? null : <span className="text-bad">{inOwnWords(step.problem)}</span>),
    },
  ];
  if (error !== null && plan === undefined) return <ErrorNotice error={error} />;
  return (
    <div className="flex flex-col gap-3 p-3 sm:px-6">
      {plan === undefined ? null : (
        <div className="text-sm">
          <p>{plan.summary}</p>
          <p className="text-ink-2">{plan.requires_confirmation ? words.confirmation : words.noConfirmation}</p>
          {plan.artifacts.length === 0 ? null : (
            <p className="text-ink-2">{words.artifacts(plan.artifacts.map(({ title }) => title))}</p>
          )}
        </div>
      )}
      <div className="rounded-lg border border-line bg-surface">
        <Table
          label={words.label}
          columns={columns}
          rows={plan?.steps}
          getKey={(step) => `${step.stage} ${step.step_id}`}
          empty={<p className="p-6 text-center text-ink-2 text-sm">{words.none}</p>}
        />
      </div>
    </div>
  );
}
