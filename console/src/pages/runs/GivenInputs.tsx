// What a Run was run with: whole on its page, on one line in a list.

import { useQuery } from "@tanstack/react-query";
import { runFlow, runInput } from "~/api/runs";
import { isRecord } from "~/canvas/document";
import { runs as text } from "~/text/en/runs";
import { JsonView } from "~/ui/JsonView";
import { type Fact, KeyValue } from "~/ui/KeyValue";
import { given, givenLine } from "./given";

/** Nothing, for a Run of a flow that asks for nothing. */
export function GivenInputs({ runId, heading: Heading = "h2" }: { runId: string; heading?: "h2" | "h3" }) {
  const { data: flowInput } = useQuery(runInput(runId));
  const declared = useQuery(runFlow(runId)).data?.document.inputs;
  const inputs = given(flowInput ?? null, isRecord(declared) ? declared : null);
  if (inputs.length === 0) return null;
  return (
    <section aria-label={text.inputs}>
      <Heading className="mb-2 font-semibold text-sm">{text.inputs}</Heading>
      <KeyValue
        facts={inputs.map(
          ([name, value]): Fact => [
            name,
            typeof value === "object" && value !== null ? (
              <JsonView key={name} label={name} value={value} />
            ) : (
              <span key={name} className="block max-h-40 overflow-auto whitespace-pre-wrap break-words">
                {String(value)}
              </span>
            ),
          ],
        )}
      />
    </section>
  );
}

/** Nothing, until it is known. */
export function GivenLine({ runId }: { runId: string }) {
  const { data: flowInput } = useQuery(runInput(runId));
  const line = givenLine(given(flowInput ?? null, null));
  if (line === "") return null;
  return (
    <span title={line} className="block truncate text-ink-3 text-xs">
      {line}
    </span>
  );
}
