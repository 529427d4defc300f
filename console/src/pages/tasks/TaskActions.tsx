// What can be done about a task: cancel it while it works; judge it, and forget it, once it has ended.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Gavel, Square, Trash2 } from "lucide-react";
import { useState } from "react";
import { keys } from "~/api/keys";
import { cancelTask, forgetTask, resolveTask } from "~/api/tasks";
import type { Task } from "~/api/types";
import { common } from "~/text/en/common";
import { task as text } from "~/text/en/task";
import { tasks as list } from "~/text/en/tasks";
import { Button } from "~/ui/Button";
import { RadioGroup } from "~/ui/Choice";
import { Confirm, Dialog } from "~/ui/Dialog";
import { TextArea } from "~/ui/Field";
import { toast } from "~/ui/Toast";

const VERDICTS = ["accepted", "rejected", "needs_followup", "superseded"] as const;
type Verdict = (typeof VERDICTS)[number];

export const isOver = (task: Task) => ["succeeded", "failed", "cancelled"].includes(task.status);

export function TaskActions({ task }: { task: Task }) {
  const [asks, setAsks] = useState<"cancel" | "resolve" | "forget" | null>(null);
  const client = useQueryClient();
  const navigate = useNavigate();
  const close = () => setAsks(null);
  const fresh = () => client.invalidateQueries({ queryKey: keys.tasks.all });

  const cancel = useMutation({
    mutationFn: () => cancelTask(task.task_id),
    onSuccess: () => toast.done(text.cancel.done),
    onError: (error) => toast.failed(text.cancel.failed, error),
    onSettled: () => {
      close();
      void fresh();
    },
  });
  const forget = useMutation({
    mutationFn: () => forgetTask(task.task_id),
    onSuccess: async () => {
      toast.done(text.forget.done);
      await navigate({ to: "/tasks" });
      client.removeQueries({ queryKey: keys.tasks.one(task.task_id) });
      void fresh();
    },
    onError: (error) => {
      close();
      toast.failed(text.forget.failed, error);
    },
  });

  if (!isOver(task)) {
    return (
      <>
        <Button variant="danger" icon={Square} busy={cancel.isPending} onClick={() => setAsks("cancel")}>
          {text.cancel.action}
        </Button>
        <Confirm
          open={asks === "cancel"}
          onOpenChange={(open) => open || close()}
          title={text.cancel.title}
          action={text.cancel.confirm}
          keep={common.actions.keepRunning}
          busy={cancel.isPending}
          danger
          onConfirm={() => cancel.mutate()}
        >
          {text.cancel.body}
        </Confirm>
      </>
    );
  }
  const judged = task.resolution !== "unresolved";
  return (
    <>
      <Button icon={Gavel} onClick={() => setAsks("resolve")}>
        {text.resolve.action}
      </Button>
      <Button
        variant="danger"
        icon={Trash2}
        disabled={!judged}
        title={judged ? undefined : text.forget.judgeFirst}
        onClick={() => setAsks("forget")}
      >
        {text.forget.action}
      </Button>
      {asks === "resolve" ? <ResolveDialog task={task} onClose={close} onDone={() => void fresh()} /> : null}
      <Confirm
        open={asks === "forget"}
        onOpenChange={(open) => open || close()}
        title={text.forget.title}
        action={text.forget.confirm}
        busy={forget.isPending}
        danger
        onConfirm={() => forget.mutate()}
      >
        {text.forget.body}
      </Confirm>
    </>
  );
}

function ResolveDialog({ task, onClose, onDone }: { task: Task; onClose: () => void; onDone: () => void }) {
  const words = text.resolve;
  const [verdict, setVerdict] = useState<Verdict>(VERDICTS.find((one) => one === task.resolution) ?? "accepted");
  const [note, setNote] = useState(task.resolution_note ?? "");
  const record = useMutation({
    mutationFn: () => resolveTask(task.task_id, verdict, note.trim()),
    onSuccess: () => {
      toast.done(words.done);
      onDone();
      onClose();
    },
    onError: (error) => toast.failed(words.failed, error),
  });
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={words.title}
      description={words.lead}
      footer={
        <Button variant="primary" busy={record.isPending} onClick={() => record.mutate()}>
          {words.confirm}
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <RadioGroup
          label={words.verdict}
          options={VERDICTS.map((value) => ({
            value,
            label: list.verdicts[value] ?? value,
            hint: words.hints[value] ?? "",
          }))}
          value={verdict}
          onValueChange={setVerdict}
        />
        <TextArea label={words.note} hint={words.noteHint} value={note} onValueChange={setNote} rows={3} />
      </div>
    </Dialog>
  );
}
