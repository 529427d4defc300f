// Saving a flow without undoing what somebody else saved meanwhile.

import { type QueryClient, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { type LoadedFlow, saveDocument } from "~/api/documents";
import { asApiError } from "~/api/error";
import { savedFlow, savedFlows } from "~/api/flows";
import { keys } from "~/api/keys";
import type { SavedFlow } from "~/api/types";
import { type FlowDocument, view } from "~/canvas/document";
import { documentOf, type EditorStore } from "~/canvas/editor";
import { freeAmong, idsOf } from "~/canvas/ids";
import { setFlowField } from "~/canvas/operations";
import { flows as text } from "~/text/en/flows";
import { toast } from "~/ui/Toast";

/** Another saved flow has the id of the one that is to be saved. */
export interface Clash {
  readonly by: SavedFlow;
  /** An id like it that no saved flow has. */
  readonly free: string;
}

export interface Saving {
  readonly save: () => Promise<LoadedFlow | null>;
  readonly saveOver: () => Promise<LoadedFlow | null>;
  readonly saveCopy: () => Promise<LoadedFlow | null>;
  /** Saves it as the next version of another saved flow. */
  readonly saveAsVersion: (flow: SavedFlow) => Promise<LoadedFlow | null>;
  readonly saveUnder: (id: string) => Promise<LoadedFlow | null>;
  readonly isSaving: boolean;
  /** When somebody else saved what is being edited; `null` as long as nobody has. */
  readonly theirs: string | null;
  /** Saving was stopped because of that. */
  readonly conflict: boolean;
  readonly setConflict: (conflict: boolean) => void;
  /** Saving was stopped because its id would be that of two flows. */
  readonly taken: Clash | null;
  readonly setTaken: (taken: null) => void;
}

export function useSaving(store: EditorStore, localId: string | null, loaded: LoadedFlow | null): Saving {
  const client = useQueryClient();
  /** What is being edited was this, as far as this window knows. */
  const [base, setBase] = useState(loaded);
  const [conflict, setConflict] = useState(false);
  const [taken, setTaken] = useState<Clash | null>(null);
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
      const document = as === null && localId !== null ? copyOf(sent, idsOf(await listed(client))) : sent;
      const loaded = await saveDocument(as, document, as === null || over ? null : (base?.tag ?? null));
      return { loaded, sent, isCopy: document !== sent };
    },
    onSuccess: ({ loaded, sent, isCopy }) => {
      setConflict(false);
      setTaken(null);
      if (!isCopy) {
        setBase(loaded);
        client.setQueryData(keys.flows.one(loaded.saved.flow_id), loaded.saved);
        store.getState().settle(sent, loaded.document);
      }
      void client.invalidateQueries({ queryKey: keys.flows.list });
      void client.invalidateQueries({ queryKey: keys.flows.part(loaded.saved.flow_id, "versions") });
      toast.done(text.page.savedToast(loaded.saved.name));
    },
    onError: (thrown) => {
      setTaken(null);
      if (asApiError(thrown).status === 412) {
        setConflict(true);
        void current.refetch();
      } else toast.failed(text.page.saveFailed, thrown);
    },
  });

  /** Only one at a time: the second press of a key while the first is under way is the same wish. */
  const busy = useRef(false);
  const run = async (as: string | null, over: boolean, asks = false): Promise<LoadedFlow | null> => {
    if (busy.current || store.getState().broken) {
      if (store.getState().broken) toast.note(text.page.textBroken);
      return null;
    }
    if (view(documentOf(store.getState())).steps.length === 0) {
      toast.note(text.page.saveEmpty);
      return null;
    }
    busy.current = true;
    try {
      const clash = asks ? await clashOf(client, store, localId) : null;
      if (clash !== null) {
        setTaken(clash);
        return null;
      }
      return (await mutation.mutateAsync({ as, over })).loaded;
    } catch {
      return null;
    } finally {
      busy.current = false;
    }
  };

  return {
    save: () => run(localId, false, true),
    saveOver: () => run(localId, true),
    saveCopy: () => run(null, true),
    saveAsVersion: (flow) => run(flow.flow_id, true),
    saveUnder: (id) => {
      store.getState().change((document) => setFlowField(document, ["id"], id));
      return run(localId, false, true);
    },
    isSaving: mutation.isPending,
    theirs,
    conflict,
    setConflict,
    taken,
    setTaken,
  };
}

/** All saved flows, as they are now. */
export function listed(client: QueryClient): Promise<readonly SavedFlow[]> {
  return client.fetchQuery({ ...savedFlows(), staleTime: 0 });
}

/** The other saved flow that has the same id. One that was saved under it before has been told of that already. */
async function clashOf(client: QueryClient, store: EditorStore, localId: string | null): Promise<Clash | null> {
  const { saved } = store.getState();
  const { id } = view(documentOf(store.getState()));
  if (id === "" || (localId !== null && saved !== null && view(saved).id === id)) return null;
  const all = await listed(client);
  const by = all.find(({ flow_id: local, flow }) => local !== localId && flow.id === id);
  return by === undefined ? null : { by, free: freeAmong(idsOf(all), id) };
}

/** Of the same steps, under an id and a name of its own. */
export function copyOf(document: FlowDocument, taken: ReadonlySet<string>): FlowDocument {
  const { id, name } = view(document);
  const renamed = setFlowField(document, ["id"], freeAmong(taken, `${id || "flow"}-copy`));
  const named = "document" in renamed ? renamed.document : document;
  const outcome = setFlowField(named, ["name"], text.savedFlows.copyOf(name));
  return "document" in outcome ? outcome.document : named;
}
