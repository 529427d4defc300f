// Successes and failures of each node as bars. The table below says the same in numbers.

import { Bar, BarChart, CartesianGrid, Legend, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";
import type { RunStabilityReport } from "~/api/types";
import { stability as text } from "~/text/en/stability";

const ROW = 36;
const AXES = 64;

export default function Chart({ nodes }: { nodes: RunStabilityReport["nodes"] }) {
  const rows = nodes.map((node) => ({ node: node.node_id, ok: node.succeeded_count, bad: node.failure_count }));
  const tick = { fill: "var(--ink-2)", fontSize: 12 };
  return (
    <figure aria-label={text.chart} style={{ height: rows.length * ROW + AXES }}>
      <ResponsiveContainer width="100%" height="100%">
        <BarChart data={rows} layout="vertical" margin={{ left: 8, right: 16 }} barSize={14}>
          <CartesianGrid horizontal={false} stroke="var(--line)" />
          <XAxis type="number" domain={[0, "dataMax"]} allowDecimals={false} tick={tick} stroke="var(--line-strong)" />
          <YAxis type="category" dataKey="node" width={160} tick={tick} stroke="var(--line-strong)" />
          <Tooltip
            cursor={{ fill: "var(--hover)" }}
            contentStyle={{
              background: "var(--surface)",
              border: "1px solid var(--line)",
              borderRadius: 6,
              fontSize: 12,
            }}
          />
          <Legend wrapperStyle={{ fontSize: 12 }} />
          <Bar dataKey="ok" name={text.succeeded} stackId="count" fill="var(--ok)" isAnimationActive={false} />
          <Bar dataKey="bad" name={text.failed} stackId="count" fill="var(--bad)" isAnimationActive={false} />
        </BarChart>
      </ResponsiveContainer>
    </figure>
  );
}
