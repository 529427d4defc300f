// From a description: which granularity suits it, beside what could really run it here. Nothing is run.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Save, WandSparkles } from "lucide-react";
import { useState } from "react";
import { draftFlow, saveDocument } from "~/api/documents";
import { type Suggestion, suggestFlow } from "~/api/home";
import { keys } from "~/api/keys";
import { capabilities } from "~/text/en/capabilities";
import { executor } from "~/text/en/executor";
import { home } from "~/text/en/home";
import { Badge, StateBadge } from "~/ui/Badge";
import { Button } from "~/ui/Button";
import { ErrorNotice } from "~/ui/ErrorNotice";
import { TextArea } from "~/ui/Field";
import { KeyValue } from "~/ui/KeyValue";
import { Panel } from "~/ui/Panel";
import { toast } from "~/ui/Toast";

const text = home.suggest;

export function SuggestPanel() {
  const [about, setAbout] = useState("");
  const [tried, setTried] = useState(false);
  const suggest = useMutation({ mutationFn: suggestFlow });
  const isEmpty = about.trim() === "";
  return (
    <Panel title={text.title}>
      <form
        noValidate
        className="flex flex-col items-start gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          setTried(true);
          if (!isEmpty) suggest.mutate(about.trim());
        }}
      >
        <p className="text-ink-2 text-sm">{text.lead}</p>
        <TextArea
          label={text.label}
          className="w-full"
          rows={2}
          placeholder={text.placeholder}
          value={about}
          onValueChange={(next) => {
            setAbout(next);
            // What was suggested was for other words.
            suggest.reset();
          }}
          error={tried && isEmpty ? text.missing : null}
        />
        <Button type="submit" icon={WandSparkles} busy={suggest.isPending}>
          {text.action}
        </Button>
        {suggest.error === null ? null : <ErrorNotice error={suggest.error} />}
      </form>
      {suggest.data === undefined ? null : <Suggested suggestion={suggest.data} about={about.trim()} />}
    </Panel>
  );
}

function Suggested({ suggestion, about }: { suggestion: Suggestion; about: string }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const save = useMutation({
    mutationFn: async () => saveDocument(null, await draftFlow(suggestion.granularity, about)),
    onSuccess: ({ saved }) => {
      void client.invalidateQueries({ queryKey: keys.flows.all });
      void navigate({ to: "/flows/$flowId", params: { flowId: saved.flow_id } });
    },
    onError: (error) => toast.failed(text.failed, error),
  });
  return (
    <section aria-label={text.result} className="mt-4 border-line border-t pt-3">
      <KeyValue
        facts={[
          [
            text.granularity,
            <span key="granularity">
              <Badge tone="accent">{suggestion.granularity}</Badge>{" "}
              <span className="text-ink-2">{suggestion.template.description}</span>
            </span>,
          ],
          [text.because, suggestion.because.join("; ")],
          [
            text.steps,
            <ol key="steps" className="list-inside list-decimal">
              {suggestion.steps.map((step) => (
                <li key={step}>{step}</li>
              ))}
            </ol>,
          ],
        ]}
      />
      <h3 className="mt-3 mb-1 font-semibold text-sm">{text.available}</h3>
      <KeyValue
        facts={[
          [
            text.executors,
            <ul key="executors" className="flex flex-col gap-1">
              {suggestion.executors.map(({ id, available }) => (
                <li key={id} className="flex items-center gap-2">
                  {executor.names[id]}
                  <Badge tone={available ? "ok" : "idle"}>{available ? text.yes : text.no}</Badge>
                </li>
              ))}
            </ul>,
          ],
          [
            text.capabilities,
            suggestion.capabilities.length === 0 ? (
              text.noCapability
            ) : (
              <ul key="capabilities" className="flex flex-col gap-1">
                {suggestion.capabilities.map((one) => (
                  <li key={one.id} className="flex flex-wrap items-center gap-2">
                    {one.name}
                    <span className="text-ink-3 text-xs">{capabilities.kinds[one.kind] ?? one.kind}</span>
                    <StateBadge state={one.status} />
                  </li>
                ))}
              </ul>
            ),
          ],
        ]}
      />
      <div className="mt-3 flex flex-wrap items-center gap-3">
        <Button variant="primary" icon={Save} busy={save.isPending} onClick={() => save.mutate()}>
          {text.save}
        </Button>
        <span className="text-ink-3 text-xs">{text.saveHint}</span>
      </div>
    </section>
  );
}
