// Agents that are installed on this machine, to be added one by one.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { discoveredCapabilities, saveCapability } from "~/api/capabilities";
import { keys } from "~/api/keys";
import type { Capability } from "~/api/types";
import { capabilities as text } from "~/text/en/capabilities";
import { Badge } from "~/ui/Badge";
import { Button } from "~/ui/Button";
import { Dialog } from "~/ui/Dialog";
import { ErrorNotice } from "~/ui/ErrorNotice";
import { Mono } from "~/ui/KeyValue";
import { SkeletonLines } from "~/ui/Skeleton";
import { toast } from "~/ui/Toast";

const words = text.discovery;

interface DiscoverDialogProps {
  known: readonly Capability[];
  onClose: () => void;
  onSaved: (id: string) => void;
}

export function DiscoverDialog({ known, onClose, onSaved }: DiscoverDialogProps) {
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(discoveredCapabilities());
  const save = useMutation({
    mutationFn: ({ id, kind, name, source, description, effects, timeout_seconds, config }: Capability) =>
      saveCapability({ id, kind, name, source, description, effects, timeout_seconds, config }),
    onSuccess: (saved) => {
      toast.done(text.form.saved(saved.name));
      void client.invalidateQueries({ queryKey: keys.capabilities.all });
      onClose();
      onSaved(saved.id);
    },
    onError: (thrown) => toast.failed(text.form.failed, thrown),
  });
  return (
    <Dialog open onOpenChange={(open) => open || onClose()} title={words.title} description={words.lead}>
      {error === null ? null : <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null ? (
        <div>
          <p className="text-ink-2 text-sm">{words.looking}</p>
          <SkeletonLines />
        </div>
      ) : null}
      {data?.items.length === 0 ? <p className="text-ink-2 text-sm">{words.none}</p> : null}
      <ul className="flex flex-col gap-2">
        {data?.items.map((found) => (
          <li key={found.id} className="flex items-start gap-3 rounded-md border border-line p-3">
            <div className="min-w-0 flex-1">
              <p className="font-medium text-sm">{found.name}</p>
              <p className="text-ink-2 text-sm">{found.description}</p>
              <Mono>{String(found.config.executable ?? "")}</Mono>
              {typeof found.config.version === "string" ? (
                <p className="text-ink-3 text-xs">{found.config.version}</p>
              ) : null}
            </div>
            {known.some((one) => one.id === found.id) ? (
              <Badge>{words.there}</Badge>
            ) : (
              <Button
                size="sm"
                icon={Plus}
                aria-label={words.add(found.name)}
                busy={save.isPending && save.variables.id === found.id}
                onClick={() => save.mutate(found)}
              >
                {text.add}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
