// Two Runs of one flow: where they part first, then all nodes.

import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { ArrowLeftRight, GitCompare } from "lucide-react";
import { runComparison } from "~/api/comparison";
import { oneRun, runList } from "~/api/runs";
import type { RunSummary } from "~/api/types";
import { Page } from "~/components/Page";
import { compare as text } from "~/text/en/compare";
import { runs } from "~/text/en/runs";
import { stateLabel } from "~/ui/Badge";
import { ButtonLink, IconButton } from "~/ui/Button";
import { Empty } from "~/ui/Empty";
import { ErrorNotice } from "~/ui/ErrorNotice";
import { Link } from "~/ui/Link";
import { Select } from "~/ui/Select";
import { SkeletonLines } from "~/ui/Skeleton";
import { exact } from "~/ui/time";
import { Comparison } from "./compare/Comparison";
import { isActive } from "./run/useRunRecord";

const route = getRouteApi("/compare");

export function ComparePage() {
  const { a, b } = route.useSearch();
  const navigate = route.useNavigate();
  const left = useQuery({ ...oneRun(a ?? ""), enabled: a !== undefined });
  const right = useQuery({ ...oneRun(b ?? ""), enabled: b !== undefined });
  const known = left.data ?? right.data;
  const others = useInfiniteQuery(runList(known === undefined ? {} : { flow: known.flow_id }));
  const candidates = (others.data?.pages.flatMap((page) => page.items) ?? []).filter(
    (run) =>
      !isActive(run) && (known === undefined || (run.task_id === known.task_id && run.flow_hash === known.flow_hash)),
  );
  const report = useQuery({ ...runComparison(a ?? "", b ?? ""), enabled: a !== undefined && b !== undefined });
  const choose = (side: "a" | "b") => (runId: string) =>
    void navigate({ search: (held) => ({ ...held, [side]: runId }) });

  return (
    <Page
      title={text.title}
      lead={text.lead}
      above={[
        <Link key="runs" to="/runs">
          {runs.title}
        </Link>,
      ]}
    >
      <div className="flex flex-wrap items-end gap-3">
        <RunSelect
          label={text.left}
          value={a}
          run={left.data}
          candidates={candidates.filter((run) => run.run_id !== b)}
          onChange={choose("a")}
        />
        <IconButton
          icon={ArrowLeftRight}
          label={text.swap}
          disabled={a === undefined && b === undefined}
          onClick={() => void navigate({ search: { a: b, b: a } })}
        />
        <RunSelect
          label={text.right}
          value={b}
          run={right.data}
          candidates={candidates.filter((run) => run.run_id !== a)}
          onChange={choose("b")}
        />
      </div>
      {known !== undefined &&
      others.isSuccess &&
      candidates.filter((run) => run.run_id !== known.run_id).length === 0 ? (
        <p className="text-ink-2 text-sm">{text.noOthers}</p>
      ) : null}
      {report.error === null ? null : <ErrorNotice error={report.error} onRetry={() => void report.refetch()} />}
      {report.data !== undefined ? <Comparison report={report.data} /> : null}
      {report.isFetching && report.data === undefined ? <SkeletonLines lines={6} /> : null}
      {a === undefined || b === undefined ? (
        <Empty
          icon={GitCompare}
          title={text.nothing.title}
          action={<ButtonLink to="/runs">{text.nothing.action}</ButtonLink>}
        >
          {text.nothing.body}
        </Empty>
      ) : null}
    </Page>
  );
}

interface RunSelectProps {
  label: string;
  value: string | undefined;
  run: RunSummary | undefined;
  candidates: readonly RunSummary[];
  onChange: (runId: string) => void;
}

function RunSelect({ label, value, run, candidates, onChange }: RunSelectProps) {
  const chosen = run !== undefined && candidates.every((one) => one.run_id !== run.run_id) ? [run] : [];
  return (
    <Select
      label={label}
      className="w-96 max-w-full"
      placeholder={text.choose}
      value={value ?? null}
      onValueChange={onChange}
      options={[...chosen, ...candidates].map((one) => ({
        value: one.run_id,
        label: `${one.flow_id} ${one.run_id.slice(0, 8)}`,
        detail: `${stateLabel(one.status)}, ${exact(one.started_at)}`,
      }))}
    />
  );
}
