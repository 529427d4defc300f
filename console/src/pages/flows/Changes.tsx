// What changed between two versions: of the flow itself, then step by step.

import type { FlowChange, FlowDifference } from "~/api/types";
import { flowVersions } from "~/text/en/flowVersions";
import { Badge } from "~/ui/Badge";
import type { Tone } from "~/ui/tones";

const text = flowVersions.changes;

type Kind = "added" | "removed" | "changed";

const TONES: Readonly<Record<Kind, Tone>> = { added: "ok", removed: "bad", changed: "wait" };

export function Changes({ difference }: { difference: FlowDifference }) {
  const { fields, added, removed, changed, reordered, same_flow: same } = difference;
  const steps: { id: string; kind: Kind; fields: readonly FlowChange[] }[] = [
    ...added.map((id) => ({ id, kind: "added" as const, fields: [] })),
    ...removed.map((id) => ({ id, kind: "removed" as const, fields: [] })),
    ...changed.map(({ step_id: id, fields }) => ({ id, kind: "changed" as const, fields })),
  ];
  const nothing = steps.length === 0 && fields.length === 0 && !reordered;
  return (
    <div className="flex flex-col gap-3">
      <div className="text-ink-2 text-sm">
        {nothing ? <p>{text.same}</p> : null}
        {same && !nothing ? <p>{text.sameFlow}</p> : null}
        {reordered ? <p>{text.reordered}</p> : null}
      </div>
      <ul aria-label={text.label} className="flex flex-col gap-3 empty:hidden">
        {fields.length === 0 ? null : <Item name={text.flow} kind="changed" fields={fields} />}
        {steps.map(({ id, kind, fields }) => (
          <Item key={`${kind} ${id}`} name={id} kind={kind} fields={fields} />
        ))}
      </ul>
    </div>
  );
}

function Item({ name, kind, fields }: { name: string; kind: Kind; fields: readonly FlowChange[] }) {
  return (
    <li className="rounded-md border border-line p-3">
      <p className="flex flex-wrap items-center gap-2">
        <span className="font-medium text-sm">{name}</span>
        <Badge tone={TONES[kind]}>{text.kinds[kind]}</Badge>
      </p>
      {fields.length === 0 ? null : (
        <table className="mt-2 w-full table-fixed text-left text-xs">
          <thead className="text-ink-3">
            <tr>
              <th scope="col" className="w-40 py-1 pr-3 font-medium">
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
            {fields.map(({ path, before, after, layout }) => (
              <tr key={path} className="border-line border-t align-top">
                <th scope="row" className="break-words py-1 pr-3 font-medium">
                  {path.replace(/^\//, "").replaceAll("/", " › ")}
                  {layout ? <span className="block font-normal text-ink-3">{text.layout}</span> : null}
                </th>
                <td className="whitespace-pre-wrap break-words py-1 pr-3 font-mono">{show(before)}</td>
                <td className="whitespace-pre-wrap break-words py-1 font-mono">{show(after)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </li>
  );
}

function show(value: unknown): string {
  if (value === undefined || value === null) return text.nothing;
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
