// One capability: what it does to the world, whether it answers, and its technical details.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { PlugZap, Trash2, X } from "lucide-react";
import { useState } from "react";
import { deleteCapability, testCapability } from "~/api/capabilities";
import { keys } from "~/api/keys";
import type { Capability } from "~/api/types";
import { capabilities as text } from "~/text/en/capabilities";
import { effects as effectWords } from "~/text/en/effects";
import { Badge, StateBadge } from "~/ui/Badge";
import { Button, IconButton } from "~/ui/Button";
import { CopyButton } from "~/ui/CopyButton";
import { Confirm } from "~/ui/Dialog";
import { JsonView } from "~/ui/JsonView";
import { KeyValue, Mono } from "~/ui/KeyValue";
import { Panel } from "~/ui/Panel";
import { Time } from "~/ui/Time";
import { toast } from "~/ui/Toast";
import { isKind, KIND_FORMS } from "./definition";

const words = text.details;

export function CapabilityDetails({ capability, onClose }: { capability: Capability; onClose: () => void }) {
  const [asks, setAsks] = useState(false);
  const client = useQueryClient();
  const fresh = () => client.invalidateQueries({ queryKey: keys.capabilities.all });
  const test = useMutation({
    mutationFn: () => testCapability(capability.id),
    onSuccess: ({ last_probe: probe }) => {
      void fresh();
      toast.done(words.tested, probe?.summary);
    },
    onError: (error) => toast.failed(words.testFailed, error),
  });
  const remove = useMutation({
    mutationFn: () => deleteCapability(capability.id),
    onSuccess: () => {
      onClose();
      void fresh();
      toast.done(words.deleted);
    },
    onError: (error) => {
      setAsks(false);
      toast.failed(words.deleteFailed, error);
    },
  });
  const isCalled = isKind(capability.kind) && KIND_FORMS[capability.kind].isCalled === true;
  const programVersion = capability.config.version;

  return (
    <Panel
      title={capability.name}
      actions={<IconButton icon={X} label={words.close} size="sm" onClick={onClose} />}
      className="lg:sticky lg:top-4"
    >
      <KeyValue
        facts={[
          [words.facts.state, <StateBadge key="state" state={capability.status} />],
          [words.facts.kind, text.kinds[capability.kind] ?? capability.kind],
          [words.facts.description, capability.description === "" ? null : capability.description],
          [
            words.facts.effects,
            <ul key="effects">
              {capability.effects.map((effect) => (
                <li key={effect}>{effectWords.labels[effect] ?? effect}</li>
              ))}
            </ul>,
          ],
          [words.facts.timeout, words.seconds(capability.timeout_seconds)],
          [words.facts.source, text.sources[capability.source] ?? capability.source],
        ]}
      />
      <div className="mt-3 flex flex-wrap gap-2">
        <Button icon={PlugZap} busy={test.isPending} onClick={() => test.mutate()}>
          {words.test}
        </Button>
        <Button variant="danger" icon={Trash2} onClick={() => setAsks(true)}>
          {words.delete}
        </Button>
      </div>
      <p className="mt-1.5 text-ink-3 text-xs">{isCalled ? words.testHint.call : words.testHint.look}</p>

      <section aria-label={words.probe} className="mt-4 border-line border-t pt-3">
        <h3 className="mb-1 font-semibold text-sm">{words.probe}</h3>
        <Probe probe={capability.last_probe} />
      </section>

      <details className="mt-4 border-line border-t pt-3 text-sm">
        <summary className="font-semibold">{words.technical}</summary>
        <KeyValue
          className="mt-2"
          facts={[
            [words.facts.id, <Mono key="id">{capability.id}</Mono>],
            [words.facts.target, <Mono key="target">{targetOf(capability)}</Mono>],
            [words.facts.version, capability.version],
            [words.facts.program, typeof programVersion === "string" ? programVersion : null],
            [
              words.facts.fingerprint,
              <span key="fingerprint" className="flex items-start gap-1">
                <span className="min-w-0 flex-1 break-all">
                  <Mono>{capability.fingerprint}</Mono>
                </span>
                <CopyButton value={capability.fingerprint} />
              </span>,
            ],
          ]}
        />
        <div className="mt-2">
          <JsonView label={words.config} value={capability.config} open={3} />
        </div>
      </details>
      <Confirm
        open={asks}
        onOpenChange={setAsks}
        title={words.deleteTitle(capability.name)}
        action={words.delete}
        busy={remove.isPending}
        danger
        onConfirm={() => remove.mutate()}
      >
        {words.deleteBody} {capability.source === "sample" ? words.sample : null}
      </Confirm>
    </Panel>
  );
}

export function Probe({ probe }: { probe: Capability["last_probe"] }) {
  if (probe === null) return <p className="text-ink-2 text-sm">{words.never}</p>;
  return (
    <div className="flex flex-col gap-1.5 text-sm">
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone={probe.ok ? "ok" : "bad"}>{probe.ok ? words.works : words.broken}</Badge>
        <span className="text-ink-3 text-xs">
          <Time at={probe.checked_at} />
        </span>
      </p>
      <p className="break-words">{probe.summary}</p>
      {Object.keys(probe.details).length === 0 ? null : (
        <JsonView label={words.probeDetails} value={probe.details} open={1} />
      )}
    </div>
  );
}

function targetOf({ config }: Capability): string {
  const target = config.executable ?? config.url ?? config.agent;
  return typeof target === "string" ? target : "";
}
