// What a Run with the values of the form would do, before it is started: each effect as who does what where.

import type { RunPreview as Preview } from "~/api/types";
import { effects } from "~/text/en/effects";
import { flows } from "~/text/en/flows";
import { Badge } from "~/ui/Badge";

const words = flows.run.preview;

export function RunPreview({ preview }: { preview: Preview }) {
  return (
    <div role="status" className="flex flex-col gap-2 rounded-md border border-line p-3 text-sm">
      <p className="font-medium">{preview.requires_authorization ? words.asks : words.asksNothing}</p>
      {preview.missing.map(({ node_id: node, capability_id: capability }) => (
        <p key={node} className="text-bad">
          {words.missing(node, capability)}
        </p>
      ))}
      {preview.active_runs >= preview.max_active_runs ? (
        <p className="text-wait">{words.full(preview.max_active_runs)}</p>
      ) : null}
      <ul aria-label={words.label} className="flex flex-col gap-1">
        {preview.effects.map(({ node_id: node, title, what, who, where, risk }) => (
          <li key={`${node} ${what}`} className="flex flex-wrap items-baseline gap-x-2">
            <Badge tone={risk === null ? "idle" : "wait"}>{effects.labels[what] ?? what}</Badge>
            <span className="font-medium">{title}</span>
            <span className="text-ink-3 text-xs">
              {who} · {where}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
