// What was handed to a node: its text as a reader would see it, or else the whole input, folded.

import { run as text } from "~/text/en/run";
import { JsonView } from "~/ui/JsonView";
import type { RunNode } from "./graph";
import { writtenIn } from "./written";

export function Received({ node, input }: { node: RunNode; input: Record<string, unknown> }) {
  const texts = writtenIn(input);
  if (Object.keys(input).length === 0) return null;
  if (texts.length === 0) {
    return (
      <details className="text-sm">
        <summary className="font-medium">{text.answer.input}</summary>
        <JsonView label={text.node.inputLabel(node.title)} value={input} open={3} />
      </details>
    );
  }
  return texts.map(({ from, written }) => (
    <section
      key={from ?? ""}
      tabIndex={0}
      aria-label={from ?? text.answer.received}
      className="max-h-96 overflow-auto whitespace-pre-wrap break-words rounded-md border border-line bg-surface px-3 py-2 text-sm"
    >
      {written}
    </section>
  ));
}
