// What a comparison says: the verdict, the first divergence with both sides, and every node.

import { CheckCircle2, Split } from "lucide-react";
import type { RunComparisonReport } from "~/api/types";
import { compare as text } from "~/text/en/compare";
import { Badge, StateBadge } from "~/ui/Badge";
import { cx } from "~/ui/cx";
import { Mono } from "~/ui/KeyValue";
import { Link } from "~/ui/Link";
import { Panel } from "~/ui/Panel";
import { type Column, Table } from "~/ui/Table";
import type { Tone } from "~/ui/tones";
import { SideBySide } from "./SideBySide";

type Node = RunComparisonReport["nodes"][number];
type Side = Node["left"];

const TONES: Readonly<Record<string, Tone>> = {
  same: "ok",
  changed: "bad",
  execution_mode_changed: "wait",
  not_observed: "idle",
  only_left_observed: "wait",
  only_right_observed: "wait",
};

export function Comparison({ report }: { report: RunComparisonReport }) {
  const first = report.nodes.find((node) => node.node_id === report.first_divergent_node_id);
  const [left, right] = [report.left_run.run_id, report.right_run.run_id];
  return (
    <>
      <Verdict report={report} />
      {first === undefined ? null : (
        <Panel title={`${text.first}: ${first.node_id}`}>
          <div className="flex flex-col gap-3">
            <Differences node={first} />
            <div className="grid gap-3 sm:grid-cols-2">
              <SideCard label={text.left} side={first.left} runId={left} nodeId={first.node_id} />
              <SideCard label={text.right} side={first.right} runId={right} nodeId={first.node_id} />
            </div>
            <SideBySide left={left} right={right} nodeId={first.node_id} />
          </div>
        </Panel>
      )}
      <Panel title={text.rest} count={report.nodes.length} flush>
        <Table
          label={text.rest}
          columns={columns(left, right)}
          rows={report.nodes}
          getKey={(node) => node.node_id}
          empty={null}
          isMarked={(node) => node === first}
        />
      </Panel>
    </>
  );
}

function Verdict({ report }: { report: RunComparisonReport }) {
  const same = report.overall === "equivalent";
  const Icon = same ? CheckCircle2 : Split;
  return (
    <div
      role="status"
      className={cx("flex items-start gap-3 rounded-lg px-3 py-2.5", same ? "bg-ok-soft" : "bg-wait-soft")}
    >
      <Icon aria-hidden className={cx("mt-0.5 size-4 shrink-0", same ? "text-ok" : "text-wait")} />
      <div>
        <p className={cx("font-semibold", same ? "text-ok" : "text-wait")}>
          {same ? text.equivalent : text.diverged(report.first_divergent_node_id ?? "")}
        </p>
        <p className="text-ink-2 text-sm">
          {same ? `${text.equivalentBody} ` : ""}
          {text.lineage[report.lineage_relation]}
        </p>
      </div>
    </div>
  );
}

function Differences({ node }: { node: Node }) {
  return (
    <span className="flex flex-wrap gap-1">
      {node.differences.map((difference) => (
        <Badge key={difference} tone="bad">
          {text.differences[difference] ?? difference}
        </Badge>
      ))}
    </span>
  );
}

interface SideCardProps {
  label: string;
  side: Side;
  runId: string;
  nodeId: string;
}

function SideCard({ label, side, runId, nodeId }: SideCardProps) {
  return (
    <div className="relative min-w-0 rounded-md border border-line p-3 text-sm hover:bg-hover">
      <div className="mb-1 flex items-center gap-2">
        <Link to="/runs/$runId" params={{ runId }} search={{ node: nodeId }} stretched>
          {label}
        </Link>
        {side === null ? <span className="text-ink-3">{text.notReached}</span> : <StateBadge state={side.status} />}
      </div>
      {side === null ? null : (
        <>
          <Mono cut>{`${side.executor.executor_id} ${side.executor.version}`}</Mono>
          <p className="text-ink-2">
            {text.modes[side.execution_mode]}, {side.evidence_level}
          </p>
        </>
      )}
    </div>
  );
}

function columns(left: string, right: string): readonly Column<Node>[] {
  const side = (side: Side, runId: string, nodeId: string) =>
    side === null ? (
      <span className="text-ink-3">{text.notReached}</span>
    ) : (
      <Link to="/runs/$runId" params={{ runId }} search={{ node: nodeId }}>
        <StateBadge state={side.status} />
      </Link>
    );
  return [
    {
      id: "node",
      header: text.columns.node,
      sort: (node) => node.node_id,
      cell: (node) => <span className="font-medium">{node.node_id}</span>,
    },
    {
      id: "comparison",
      header: text.columns.comparison,
      sort: (node) => node.comparison,
      cell: (node) => (
        <Badge tone={TONES[node.comparison] ?? "idle"}>{text.comparisons[node.comparison] ?? node.comparison}</Badge>
      ),
    },
    {
      id: "differs",
      header: text.columns.differs,
      className: "hidden md:table-cell",
      cell: (node) => node.differences.map((one) => text.differences[one] ?? one).join(", "),
    },
    { id: "left", header: text.columns.left, cell: (node) => side(node.left, left, node.node_id) },
    { id: "right", header: text.columns.right, cell: (node) => side(node.right, right, node.node_id) },
  ];
}
