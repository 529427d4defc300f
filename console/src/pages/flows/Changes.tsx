// What changed between two versions that were run.

import type { RunFlow } from "~/api/types";
import { difference } from "~/canvas/difference";
import { flowVersions } from "~/text/en/flowVersions";
import { Badge } from "~/ui/Badge";
import type { Tone } from "~/ui/tones";

const text = flowVersions.changes;

const TONES: Readonly<Record<"added" | "removed" | "changed", Tone>> = { added: "ok", removed: "bad", changed: "wait" };

export function Changes({ before, after }: { before: RunFlow; after: RunFlow }) {
  const steps = difference(before.nodes, after.nodes, "node_id");
  const renamed = before.title !== after.title;
  if (steps.length === 0 && !renamed) return <p className="text-ink-2 text-sm">{text.same}</p>;
  return (
    <div className="flex flex-col gap-3">
      {renamed ? <p className="text-sm">{text.name(before.title, after.title)}</p> : null}
      <ul aria-label={text.label} className="flex flex-col gap-3">
        {steps.map(({ id, title, kind, changes }) => (
          <li key={id} className="rounded-md border border-line p-3">
            <p className="flex flex-wrap items-center gap-2">
              <span className="font-medium text-sm">{title}</span>
              <span className="font-mono text-ink-3 text-xs">{id}</span>
              <Badge tone={TONES[kind]}>{text.kinds[kind]}</Badge>
            </p>
            {changes.length === 0 ? null : (
              <table className="mt-2 w-full table-fixed text-left text-xs">
                <thead className="text-ink-3">
                  <tr>
                    <th scope="col" className="w-32 py-1 pr-3 font-medium">
                      {text.member}
                    </th>
                    <th scope="col" className="py-1 pr-3 font-medium">
                      {text.before}
                    </th>
                    <th scope="col" className="py-1 font-medium">
                      {text.after}
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {changes.map(({ member, before: old, after: now }) => (
                    <tr key={member} className="border-line border-t align-top">
                      <th scope="row" className="py-1 pr-3 font-medium">
                        {member}
                      </th>
                      <td className="whitespace-pre-wrap break-words py-1 pr-3 font-mono">{show(old)}</td>
                      <td className="whitespace-pre-wrap break-words py-1 font-mono">{show(now)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

function show(value: unknown): string {
  if (value === undefined || value === null) return text.nothing;
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
