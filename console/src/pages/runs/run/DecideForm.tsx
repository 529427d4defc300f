// What becomes of a node that may have written before its process was lost.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answer, api } from "~/api/client";
import { keys } from "~/api/keys";
import { run as text } from "~/text/en/run";
import { Button } from "~/ui/Button";
import { RadioGroup } from "~/ui/Choice";
import { ErrorNotice } from "~/ui/ErrorNotice";
import { toast } from "~/ui/Toast";

type Decision = "repeat" | "fail";

export function DecideForm({ runId, nodeId }: { runId: string; nodeId: string }) {
  const client = useQueryClient();
  const [decision, setDecision] = useState<Decision>("fail");
  const send = useMutation({
    mutationFn: () => {
      const params = { path: { run_id: runId, node_id: nodeId } };
      return answer(
        api.POST("/api/v1/runs/{run_id}/nodes/{node_id}/decisions", { params, body: { decision, actor: null } }),
      );
    },
    onSuccess: () => {
      toast.done(text.decide.sent);
      void client.invalidateQueries({ queryKey: keys.runs.all });
    },
  });
  return (
    <section
      aria-label={text.decide.title}
      className="flex flex-col gap-3 rounded-lg border border-wait bg-wait-soft p-3"
    >
      <h3 className="font-semibold text-wait">{text.decide.title}</h3>
      <p className="text-sm">{text.decide.lead}</p>
      <RadioGroup<Decision>
        label={text.decide.question}
        value={decision}
        onValueChange={setDecision}
        options={[
          { value: "repeat", label: text.decide.repeat, hint: text.decide.repeatHint },
          { value: "fail", label: text.decide.fail, hint: text.decide.failHint },
        ]}
      />
      {send.error === null ? null : <ErrorNotice title={text.decide.notSent} error={send.error} />}
      <div>
        <Button variant="primary" busy={send.isPending} onClick={() => send.mutate()}>
          {decision === "repeat" ? text.decide.repeat : text.decide.fail}
        </Button>
      </div>
    </section>
  );
}
