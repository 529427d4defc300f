// Deleting a flow, after asking.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { deleteFlow } from "~/api/documents";
import { keys } from "~/api/keys";
import type { SavedFlow } from "~/api/types";
import { savePositions } from "~/canvas/positions";
import { flows as text } from "~/text/en/flows";
import { Confirm } from "~/ui/Dialog";
import { toast } from "~/ui/Toast";
import { localStore } from "./telling";

interface DeleteFlowProps {
  /** `null`: nothing is asked. */
  flow: SavedFlow | null;
  onClose: () => void;
  onDeleted?: () => void;
}

export function DeleteFlow({ flow, onClose, onDeleted }: DeleteFlowProps) {
  const client = useQueryClient();
  const words = text.savedFlows;
  const remove = useMutation({
    mutationFn: ({ flow_id }: SavedFlow) => deleteFlow(flow_id),
    onSuccess: (_, { flow_id, name }) => {
      savePositions(localStore, flow_id, new Map());
      onClose();
      toast.done(words.deleted(name));
      onDeleted?.();
      void client.invalidateQueries({ queryKey: keys.flows.list });
    },
    onError: (thrown) => {
      onClose();
      toast.failed(words.deleteFailed, thrown);
    },
  });
  return (
    <Confirm
      open={flow !== null}
      onOpenChange={(open) => open || onClose()}
      title={words.deleteTitle(flow?.name ?? "")}
      action={words.delete}
      danger
      busy={remove.isPending}
      onConfirm={() => flow && remove.mutate(flow)}
    >
      {words.deleteBody}
    </Confirm>
  );
}
