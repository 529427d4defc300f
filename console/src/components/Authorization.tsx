// Leave for what a Run writes: asked once, as a plain list of what, who and where, and sent again with the request that
// needed it. Every request that may answer 428 goes through `useAuthorized`.

import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ApiError } from "~/api/error";
import type { Challenge, EffectAuthorization } from "~/api/types";
import { common } from "~/text/en/common";
import { effects as text } from "~/text/en/effects";
import { Button } from "~/ui/Button";
import { Dialog } from "~/ui/Dialog";
import { ErrorNotice } from "~/ui/ErrorNotice";
import { KeyValue, Mono } from "~/ui/KeyValue";

export interface Authorized<I> {
  /** Sends the request; asks for leave when that is needed. */
  start: (input: I) => void;
  busy: boolean;
  error: unknown;
  reset: () => void;
  /** Stands somewhere in the component. */
  dialog: ReactNode;
}

interface Options<I, T> {
  send: (input: I, authorization: EffectAuthorization | null) => Promise<T>;
  onDone: (answer: T) => void;
  /** Titles of nodes, for readers. */
  titleOf?: (nodeId: string) => string;
}

export function useAuthorized<I, T>({ send, onDone, titleOf }: Options<I, T>): Authorized<I> {
  const [asked, setAsked] = useState<{ challenge: Challenge; input: I } | null>(null);
  const request = useMutation({
    mutationFn: ({ input, authorization }: { input: I; authorization: EffectAuthorization | null }) =>
      send(input, authorization),
    onSuccess: (answer) => {
      setAsked(null);
      onDone(answer);
    },
    onError: (error, { input }) => {
      if (error instanceof ApiError && error.challenge !== null) setAsked({ challenge: error.challenge, input });
    },
  });
  const needsLeave = request.error instanceof ApiError && request.error.challenge !== null;

  return {
    start: (input) => request.mutate({ input, authorization: null }),
    busy: request.isPending,
    error: needsLeave ? null : request.error,
    reset: request.reset,
    dialog:
      asked === null ? null : (
        <AuthorizationDialog
          challenge={asked.challenge}
          titleOf={titleOf ?? ((id) => id)}
          busy={request.isPending}
          error={needsLeave ? null : request.error}
          onCancel={() => {
            setAsked(null);
            request.reset();
          }}
          onAuthorize={() => request.mutate({ input: asked.input, authorization: asked.challenge.authorization })}
        />
      ),
  };
}

interface DialogProps {
  challenge: Challenge;
  titleOf: (nodeId: string) => string;
  busy: boolean;
  error: unknown;
  onCancel: () => void;
  onAuthorize: () => void;
}

function AuthorizationDialog({ challenge, titleOf, busy, error, onCancel, onAuthorize }: DialogProps) {
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onCancel()}
      title={text.title}
      description={text.lead}
      width="lg"
      footer={
        <>
          <Button onClick={onCancel}>{common.actions.cancel}</Button>
          <Button variant="primary" busy={busy} onClick={onAuthorize}>
            {text.authorize}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {error === null ? null : <ErrorNotice error={error} />}
        <EffectList effects={challenge.effects} count={challenge.scope.node_ids.length} titleOf={titleOf} />
        <details className="text-sm">
          <summary className="text-ink-2">{text.technical}</summary>
          <KeyValue
            className="mt-2"
            facts={[
              [text.facts.flow, <Mono key="flow">{`${challenge.flow_id}@${challenge.flow_version}`}</Mono>],
              [text.facts.hash, <Mono key="hash">{challenge.flow_hash}</Mono>],
              [text.facts.input, <Mono key="input">{challenge.input_hash}</Mono>],
              [text.facts.authorization, <Mono key="id">{challenge.authorization_id}</Mono>],
            ]}
          />
        </details>
      </div>
    </Dialog>
  );
}

type Effect = Challenge["effects"][number];

interface EffectListProps {
  effects: readonly Effect[];
  /** Nodes that may execute in all. */
  count: number;
  titleOf: (nodeId: string) => string;
}

/** What, who and where, as a plain table. */
export function EffectList({ effects, count, titleOf }: EffectListProps) {
  return (
    <div>
      <table aria-label={text.table} className="w-full border-collapse text-left text-sm">
        <thead>
          <tr className="border-line border-b text-ink-3 text-xs">
            {Object.values(text.columns).map((header) => (
              <th key={header} scope="col" className="py-1.5 pr-4 font-medium">
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {effects.map((effect) => (
            <tr key={effect.effect} className="border-line border-b align-top last:border-0">
              <td className="py-2 pr-4 font-medium">{text.labels[effect.effect] ?? effect.effect}</td>
              <td className="py-2 pr-4">{effect.node_ids.map(titleOf).join(", ")}</td>
              <td className="py-2 pr-4">{text.where[effect.effect] ?? ""}</td>
              <td className="py-2">{effect.risk}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className="mt-2 text-ink-3 text-xs">{text.scope(count)}</p>
    </div>
  );
}
