// The answer to a person's node: what is to be filled in, from its schema, and a button for each option.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useId, useRef, useState } from "react";
import { answer, api } from "~/api/client";
import { keys } from "~/api/keys";
import { SchemaForm } from "~/components/SchemaForm";
import { run as text } from "~/text/en/run";
import { Button } from "~/ui/Button";
import { ErrorNotice } from "~/ui/ErrorNotice";
import { TextField } from "~/ui/Field";
import { readStored, store } from "~/ui/stored";
import { toast } from "~/ui/Toast";
import type { Question, RunNode } from "./graph";
import { Received } from "./Received";

interface AnswerFormProps {
  runId: string;
  node: RunNode;
  question: Question;
  /** What the answer is about; undefined while it is loaded. */
  input: Record<string, unknown> | null | undefined;
}

export function AnswerForm({ runId, node, question, input }: AnswerFormProps) {
  const client = useQueryClient();
  const id = useId();
  const [form, setForm] = useState<unknown>({});
  const [actor, setActor] = useState(() => readStored("actor") ?? "");
  /** The option whose button submitted the form. */
  const chosen = useRef<string | null>(null);
  const send = useMutation({
    mutationFn: (given: { option: string; form: Record<string, unknown> | null }) => {
      const body = { ...given, actor: actor.trim() === "" ? null : actor.trim() };
      const params = { path: { run_id: runId, node_id: node.id } };
      return answer(api.POST("/api/v1/runs/{run_id}/nodes/{node_id}/answers", { params, body }));
    },
    onSuccess: () => {
      store("actor", actor.trim() === "" ? null : actor.trim());
      toast.done(text.answer.sent);
      void client.invalidateQueries({ queryKey: keys.runs.all });
    },
  });
  const choose = (option: string) => {
    if (question.form === null) send.mutate({ option, form: null });
    else chosen.current = option;
  };

  return (
    <section
      aria-label={text.answer.title}
      className="flex flex-col gap-3 rounded-lg border border-wait bg-wait-soft p-3"
    >
      <h3 className="font-semibold text-wait">{text.answer.title}</h3>
      {node.instruction === null ? null : <p className="whitespace-pre-wrap break-words">{node.instruction}</p>}
      {input == null ? null : <Received node={node} input={input} />}
      {question.form === null ? null : (
        <SchemaForm
          id={id}
          schema={question.form}
          value={form}
          onChange={setForm}
          onSubmit={(value) => {
            if (chosen.current !== null)
              send.mutate({ option: chosen.current, form: value as Record<string, unknown> });
          }}
          disabled={send.isPending}
        />
      )}
      <TextField
        label={text.answer.as}
        hint={text.answer.asHint}
        value={actor}
        onValueChange={setActor}
        maxLength={120}
      />
      {send.error === null ? null : <ErrorNotice title={text.answer.notSent} error={send.error} />}
      {/* biome-ignore lint/a11y/useSemanticElements: the buttons answer together, and no legend would say more */}
      <div role="group" aria-label={text.answer.choose} className="flex flex-wrap gap-2">
        {question.options.map((option, at) => (
          <Button
            key={option.id}
            type={question.form === null ? "button" : "submit"}
            form={question.form === null ? undefined : id}
            variant={at === 0 ? "primary" : "secondary"}
            busy={send.isPending && send.variables.option === option.id}
            disabled={send.isPending}
            onClick={() => choose(option.id)}
          >
            {option.label}
          </Button>
        ))}
      </div>
    </section>
  );
}
