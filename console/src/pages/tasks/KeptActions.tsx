// What can be done with an agent that waits: give it another turn, keep it longer, let it go.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { CornerDownRight, TimerReset, Unplug } from "lucide-react";
import { useState } from "react";
import { keys } from "~/api/keys";
import { extendAgent, releaseAgent } from "~/api/tasks";
import { task as text } from "~/text/en/task";
import { Button } from "~/ui/Button";
import { Confirm, Dialog } from "~/ui/Dialog";
import { toast } from "~/ui/Toast";
import { DispatchDialog } from "./DispatchDialog";
import { isSound, KeepFields, useKeep } from "./KeepFields";

const words = text.kept;

export function KeptActions({ handle, agent }: { handle: string; agent: string }) {
  const [asks, setAsks] = useState<"extend" | "release" | "dispatch" | null>(null);
  const client = useQueryClient();
  const close = () => setAsks(null);
  const fresh = () => void client.invalidateQueries({ queryKey: keys.tasks.all });
  const release = useMutation({
    mutationFn: () => releaseAgent(handle),
    onSuccess: () => toast.done(words.released),
    onError: (error) => toast.failed(words.failed, error),
    onSettled: () => {
      close();
      fresh();
    },
  });
  return (
    <div className="flex flex-wrap gap-2">
      <Button size="sm" icon={CornerDownRight} onClick={() => setAsks("dispatch")}>
        {words.another}
      </Button>
      <Button size="sm" icon={TimerReset} onClick={() => setAsks("extend")}>
        {words.extend}
      </Button>
      <Button size="sm" variant="danger" icon={Unplug} onClick={() => setAsks("release")}>
        {words.release}
      </Button>
      {asks === "extend" ? <ExtendDialog handle={handle} onClose={close} onDone={fresh} /> : null}
      {asks === "dispatch" ? <DispatchDialog onClose={close} onAgent={{ handle, agent }} /> : null}
      <Confirm
        open={asks === "release"}
        onOpenChange={(open) => open || close()}
        title={words.releaseTitle}
        action={words.release}
        busy={release.isPending}
        danger
        onConfirm={() => release.mutate()}
      >
        {words.releaseBody}
      </Confirm>
    </div>
  );
}

function ExtendDialog({ handle, onClose, onDone }: { handle: string; onClose: () => void; onDone: () => void }) {
  const keep = useKeep();
  const [tried, setTried] = useState(false);
  const extend = useMutation({
    mutationFn: () => extendAgent(handle, keep.idle ?? null, keep.turns ?? null),
    onSuccess: () => {
      toast.done(words.extended);
      onDone();
      onClose();
    },
    onError: (error) => toast.failed(words.failed, error),
  });
  const submit = () => {
    setTried(true);
    if (isSound(keep)) extend.mutate();
  };
  return (
    <Dialog
      open
      onOpenChange={(open) => open || onClose()}
      title={words.extendTitle}
      description={words.extendLead}
      footer={
        <Button variant="primary" busy={extend.isPending} onClick={submit}>
          {words.extend}
        </Button>
      }
    >
      <div className="flex flex-col gap-4">
        <KeepFields keep={keep} words={words.keep} tried={tried} />
      </div>
    </Dialog>
  );
}
