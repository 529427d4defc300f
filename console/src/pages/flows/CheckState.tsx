// Whether the flow is saved, and whether it can be run: one line below its name.

import type { UseQueryResult } from "@tanstack/react-query";
import { CheckCircle2, LoaderCircle, TriangleAlert } from "lucide-react";
import { asApiError, sentence } from "~/api/error";
import type { FlowValidation } from "~/api/types";
import type { Facts } from "~/canvas/facts";
import { flows as text } from "~/text/en/flows";

interface CheckStateProps {
  check: UseQueryResult<FlowValidation>;
  isSettled: boolean;
  facts: Facts;
  state: string;
  onShow: (key: string | undefined) => void;
}

export function CheckState({ check, isSettled, facts, state, onShow }: CheckStateProps) {
  return (
    <span className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
      <span>{state}</span>
      <span aria-hidden className="text-ink-3">
        ·
      </span>
      <span role="status" className="flex min-w-0 items-center gap-1.5">
        <Verdict check={check} isSettled={isSettled} facts={facts} onShow={onShow} />
      </span>
    </span>
  );
}

function Verdict({ check, isSettled, facts, onShow }: Omit<CheckStateProps, "state">) {
  if (check.error !== null) {
    const { code, message, wayOut } = asApiError(check.error);
    return (
      <>
        <TriangleAlert aria-hidden className="size-3.5 shrink-0 text-bad" />
        <span className="min-w-0">
          {text.check.failed}: {sentence(message)} {code === "too_large" ? wayOut : null}
        </span>
      </>
    );
  }
  if (check.data === undefined || !isSettled)
    return (
      <>
        <LoaderCircle aria-hidden className="size-3.5 shrink-0 animate-spin text-ink-3" />
        {text.check.checking}
      </>
    );
  if (facts.steps.size === 0) return text.check.empty;
  const [finding] = facts.findings;
  if (finding === undefined)
    return (
      <>
        <CheckCircle2 aria-hidden className="size-3.5 shrink-0 text-ok" />
        {text.check.good}
      </>
    );
  return (
    <>
      <TriangleAlert aria-hidden className="size-3.5 shrink-0 text-bad" />
      <span className="min-w-0">
        {text.check.bad}: {finding.key === undefined ? finding.path.join(" ") : text.check.of(finding.key)}{" "}
        {finding.message}
      </span>
      <button
        type="button"
        className="rounded-sm font-medium text-accent underline"
        onClick={() => onShow(finding.key)}
      >
        {text.check.show}
      </button>
    </>
  );
}
