// Inputs and results of one node in two Runs. The comparison itself shows no payloads; they are asked for one by one.

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { runNode } from "~/api/runs";
import { compare as text } from "~/text/en/compare";
import { Button } from "~/ui/Button";
import { ErrorNotice } from "~/ui/ErrorNotice";
import { JsonView } from "~/ui/JsonView";
import { SkeletonLines } from "~/ui/Skeleton";

interface SideBySideProps {
  left: string;
  right: string;
  nodeId: string;
}

export function SideBySide({ left, right, nodeId }: SideBySideProps) {
  const [open, setOpen] = useState(false);
  if (!open) {
    return (
      <div>
        <Button onClick={() => setOpen(true)}>{text.payloads}</Button>
      </div>
    );
  }
  return (
    <div className="grid gap-3 lg:grid-cols-2">
      <Payloads side={text.left} runId={left} nodeId={nodeId} />
      <Payloads side={text.right} runId={right} nodeId={nodeId} />
    </div>
  );
}

function Payloads({ side, runId, nodeId }: { side: string; runId: string; nodeId: string }) {
  const { data, error, isPending, refetch } = useQuery(runNode(runId, nodeId));
  if (isPending) return <SkeletonLines />;
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  const parts = [
    [text.input, data?.input],
    [text.result, data?.output],
  ] as const;
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {parts.map(([name, value]) => (
        <div key={name}>
          <h3 className="mb-1 font-medium text-ink-2 text-xs">{text.of(side, name)}</h3>
          {value === null || value === undefined ? (
            <p className="text-ink-3 text-sm">{text.nothingThere}</p>
          ) : (
            <JsonView label={text.of(side, name)} value={value} open={2} />
          )}
        </div>
      ))}
    </div>
  );
}
