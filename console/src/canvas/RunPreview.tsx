// What a Run with the values of the form would do, before it is started: each effect as who does what where.

import type { RunPreview as Preview } from "~/api/types";
import { flows } from "~/text/en/flows";
import { Badge } from "~/ui/Badge";
import { said } from "./effects";

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
        {preview.effects.map((entry) => (
          <Entry key={`${entry.node_id} ${entry.what}`} entry={entry} all={preview.effects} />
        ))}
      </ul>
    </div>
  );
}

type Effect = Preview["effects"][number];

/** Nothing where what the node does is said by another one of its effects. */
function Entry({
  entry: { node_id: node, title, what, who, where, risk },
  all,
}: {
  entry: Effect;
  all: readonly Effect[];
}) {
  const ofNode = all.flatMap((other) => (other.node_id === node ? [other.what] : []));
  const told = said(who, ofNode).find(({ effect }) => effect === what);
  if (told === undefined) return null;
  return (
    <li className="flex flex-wrap items-baseline gap-x-2">
      <Badge tone={risk === null ? "idle" : "wait"}>{told.label}</Badge>
      <span className="font-medium">{title}</span>
      <span className="text-ink-3 text-xs">
        {who} · {where}
      </span>
    </li>
  );
}
