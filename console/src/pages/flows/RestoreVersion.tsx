// An earlier version as the present one again, after asking.

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { saveDocument, versionDocument } from "~/api/documents";
import { keys } from "~/api/keys";
import type { FlowVersion } from "~/api/types";
import { flowVersions } from "~/text/en/flowVersions";
import { Confirm } from "~/ui/Dialog";
import { toast } from "~/ui/Toast";

const text = flowVersions.restore;

interface RestoreProps {
  flowId: string;
  /** `null`: nothing is asked. */
  version: FlowVersion | null;
  onClose: () => void;
}

export function RestoreVersion({ flowId, version, onClose }: RestoreProps) {
  const client = useQueryClient();
  const restore = useMutation({
    mutationFn: async (one: FlowVersion) => saveDocument(flowId, await versionDocument(flowId, one.version)),
    onSuccess: (_, { version: number }) => {
      onClose();
      toast.done(text.done(number));
      void client.invalidateQueries({ queryKey: keys.flows.one(flowId) });
      void client.invalidateQueries({ queryKey: keys.flows.list });
    },
    onError: (thrown) => {
      onClose();
      toast.failed(text.failed, thrown);
    },
  });
  return (
    <Confirm
      open={version !== null}
      onOpenChange={(open) => open || onClose()}
      title={text.title(version?.version ?? 0)}
      action={text.action}
      busy={restore.isPending}
      onConfirm={() => version && restore.mutate(version)}
    >
      {text.body}
    </Confirm>
  );
}
