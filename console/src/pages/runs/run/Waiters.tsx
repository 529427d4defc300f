// What this Run waits for from a person: each node with a way to it.

import { ArrowRight } from "lucide-react";
import type { RunSummary } from "~/api/types";
import { run as text } from "~/text/en/run";
import { StateIcon } from "~/ui/Badge";
import type { RunGraph } from "./graph";
import { isActive, type RunRecord } from "./useRunRecord";

interface WaitersProps {
  record: RunRecord & { run: RunSummary; graph: RunGraph };
  onSelect: (nodeId: string) => void;
}

const WAITS: ReadonlySet<string> = new Set(["waiting", "uncertain"]);

export function Waiters({ record, onSelect }: WaitersProps) {
  const { run, graph, moment, isNow } = record;
  if (!isNow || !isActive(run)) return null;
  const waiting = graph.nodes.filter((node) => WAITS.has(moment.nodes.get(node.id)?.state ?? ""));
  if (waiting.length === 0) return null;
  return (
    <ul aria-label={text.answer.title} className="flex flex-col gap-2">
      {waiting.map((node) => {
        const state = moment.nodes.get(node.id)?.state ?? "waiting";
        const about = state === "uncertain" ? text.decide.title : node.instruction;
        return (
          <li key={node.id}>
            <button
              type="button"
              onClick={() => onSelect(node.id)}
              className="flex w-full items-center gap-3 rounded-lg border border-wait bg-wait-soft px-3 py-2 text-left text-sm"
            >
              <StateIcon state={state} />
              <span className="min-w-0 flex-1">
                <span className="block font-semibold">{node.title}</span>
                {about === null ? null : <span className="block truncate text-ink-2">{about}</span>}
              </span>
              <ArrowRight aria-hidden className="size-4 shrink-0" />
            </button>
          </li>
        );
      })}
    </ul>
  );
}
