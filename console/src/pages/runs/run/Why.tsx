// Why a Run waits, or why it ended as it did.

import { useQuery } from "@tanstack/react-query";
import { Hourglass, Info, OctagonAlert } from "lucide-react";
import { isRecorded } from "~/api/recorded";
import { runOutcome, runWhy } from "~/api/runs";
import type { RunSummary } from "~/api/types";
import { run as text } from "~/text/en/run";
import { cx } from "~/ui/cx";
import { ForkButton } from "./ForkButton";
import { type RunGraph, titleIn } from "./graph";

interface WhyProps {
  run: RunSummary;
  /** What can be done is shown as something to do where this is there. */
  graph?: RunGraph;
}

/** Of a Run that waits or did not succeed. */
export function Why({ run, graph }: WhyProps) {
  const { data } = useQuery(runWhy(run.run_id));
  if (data === undefined || (run.status === "succeeded" && data.lines.length === 0)) return null;
  const look = lookOf(run);
  return (
    <section
      aria-label={text.why.title}
      className={cx("flex items-start gap-3 rounded-lg px-3 py-2.5 text-sm", look.ground)}
    >
      <look.icon aria-hidden className={cx("mt-0.5 size-4 shrink-0", look.ink)} />
      <div className="min-w-0">
        <p className={cx("font-semibold", look.ink)}>{sentence(data.headline)}</p>
        <ul>
          {data.lines.map((line) => (
            <li key={`${line.node_id} ${line.text}`} className="break-words">
              <span className="font-medium">{line.node_id}</span> {line.text}
            </li>
          ))}
        </ul>
        {data.more > 0 ? <p className="text-ink-2">{text.why.more(data.more)}</p> : null}
        {graph !== undefined && data.fork_from !== null && !isRecorded() ? (
          <div className="mt-2">
            <Fork run={run} graph={graph} nodeId={data.fork_from} />
          </div>
        ) : data.ways_on.length === 0 ? null : (
          <details className="mt-1 text-ink-2">
            <summary>{text.why.waysOn}</summary>
            <ul className="mt-1 list-disc pl-5">
              {data.ways_on.map((way) => (
                <li key={way} className="break-words">
                  {way}
                </li>
              ))}
            </ul>
          </details>
        )}
      </div>
    </section>
  );
}

/** A rejected evaluation proposes its producer: what was rejected has to be made anew. */
function Fork({ run, graph, nodeId }: { run: RunSummary; graph: RunGraph; nodeId: string }) {
  const repairs = useQuery(runOutcome(run.run_id)).data?.failure?.repair_from_node_id === nodeId;
  const title = titleIn(graph)(nodeId);
  const label = repairs ? text.actions.forkProposal(title) : text.actions.forkFrom(title);
  return <ForkButton run={run} graph={graph} nodeId={nodeId} label={label} variant="primary" />;
}

function lookOf(run: RunSummary) {
  if (run.status === "failed") return { icon: OctagonAlert, ground: "bg-bad-soft", ink: "text-bad" };
  if (run.waiting) return { icon: Hourglass, ground: "bg-wait-soft", ink: "text-wait" };
  return { icon: Info, ground: "bg-sunken", ink: "text-ink" };
}

/** What is said of one node. */
export function WhyLines({ runId, nodeId }: { runId: string; nodeId: string }) {
  const { data } = useQuery(runWhy(runId));
  const lines = data?.lines.filter((line) => line.node_id === nodeId) ?? [];
  if (lines.length === 0) return null;
  return (
    <section aria-label={text.why.title} className="rounded-lg bg-sunken px-3 py-2.5 text-sm">
      <h3 className="font-semibold">{text.why.title}</h3>
      {lines.map((line) => (
        <p key={line.text} className="break-words">
          {line.text}
        </p>
      ))}
    </section>
  );
}

/** The server says it as it stands behind a Run's id; here it stands alone. */
function sentence(headline: string): string {
  return headline.charAt(0).toUpperCase() + headline.slice(1);
}
