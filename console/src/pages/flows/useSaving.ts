// Saving a flow without undoing what somebody else saved meanwhile.

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { type LoadedFlow, saveDocument } from "~/api/documents";
import { asApiError } from "~/api/error";
import { savedFlow } from "~/api/flows";
import { keys } from "~/api/keys";
import { type FlowDocument, view } from "~/canvas/document";
import { documentOf, type EditorStore } from "~/canvas/editor";
import { setFlowField } from "~/canvas/operations";
import { flows as text } from "~/text/en/flows";
import { toast } from "~/ui/Toast";

export interface Saving {
  readonly save: () => Promise<LoadedFlow | null>;
  readonly saveOver: () => Promise<LoadedFlow | null>;
  readonly saveCopy: () => Promise<LoadedFlow | null>;
  readonly isSaving: boolean;
  /** When somebody else saved what is being edited; `null` as long as nobody has. */
  readonly theirs: string | null;
  /** Saving was stopped because of that. */
  readonly conflict: boolean;
  readonly setConflict: (conflict: boolean) => void;
}

export function useSaving(store: EditorStore, localId: string | null, loaded: LoadedFlow | null): Saving {
  const client = useQueryClient();
  /** What is being edited was this, as far as this window knows. */
  const [base, setBase] = useState(loaded);
  const [conflict, setConflict] = useState(false);
  const current = useQuery({
    ...savedFlow(localId ?? ""),
    enabled: localId !== null,
    staleTime: 0,
    refetchOnWindowFocus: "always",
  });
  const at = current.data?.updated_at ?? null;
  const theirs = at !== null && base !== null && at > base.saved.updated_at ? at : null;

  const mutation = useMutation({
    mutationFn: async ({ as, over }: { as: string | null; over: boolean }) => {
      const sent = documentOf(store.getState());
      const document = as === null && localId !== null ? copyOf(sent) : sent;
      const loaded = await saveDocument(as, document, as === null || over ? null : (base?.tag ?? null));
      return { loaded, sent, isCopy: document !== sent };
    },
    onSuccess: ({ loaded, sent, isCopy }) => {
      setConflict(false);
      if (!isCopy) {
        setBase(loaded);
        client.setQueryData(keys.flows.one(loaded.saved.flow_id), loaded.saved);
        store.getState().settle(sent, loaded.document);
      }
      void client.invalidateQueries({ queryKey: keys.flows.list });
      if (localId !== null) void client.invalidateQueries({ queryKey: keys.flows.part(localId, "versions") });
      toast.done(text.page.savedToast(loaded.saved.name));
    },
    onError: (thrown) => {
      if (asApiError(thrown).status === 412) {
        setConflict(true);
        void current.refetch();
      } else toast.failed(text.page.saveFailed, thrown);
    },
  });

  /** Only one at a time: the second press of a key while the first is under way is the same wish. */
  const busy = useRef(false);
  const run = async (as: string | null, over: boolean): Promise<LoadedFlow | null> => {
    if (busy.current || store.getState().broken) {
      if (store.getState().broken) toast.note(text.page.textBroken);
      return null;
    }
    busy.current = true;
    try {
      return (await mutation.mutateAsync({ as, over })).loaded;
    } catch {
      return null;
    } finally {
      busy.current = false;
    }
  };

  return {
    save: () => run(localId, false),
    saveOver: () => run(localId, true),
    saveCopy: () => run(null, true),
    isSaving: mutation.isPending,
    theirs,
    conflict,
    setConflict,
  };
}

/** Of the same steps, under an id and a name of its own. */
export function copyOf(document: FlowDocument): FlowDocument {
  const { id, name } = view(document);
  const renamed = setFlowField(document, ["id"], `${id || "flow"}-copy`);
  const named = "document" in renamed ? renamed.document : document;
  const outcome = setFlowField(named, ["name"], text.savedFlows.copyOf(name));
  return "document" in outcome ? outcome.document : named;
}
