// What can be done with a saved flow without opening it.

import type { QueryClient } from "@tanstack/react-query";
import { type LoadedFlow, loadedFlow, saveDocument } from "~/api/documents";
import { keys } from "~/api/keys";
import { idsOf } from "~/canvas/ids";
import { copyOf, listed } from "./useSaving";

/** The flow as it is saved, whatever is being edited elsewhere. */
export function fetchFlow(client: QueryClient, localId: string): Promise<LoadedFlow> {
  return client.fetchQuery({ ...loadedFlow(localId), queryKey: keys.flows.part(localId, "fetched"), staleTime: 0 });
}

export async function duplicateFlow(client: QueryClient, localId: string): Promise<LoadedFlow> {
  const { document } = await fetchFlow(client, localId);
  const copy = await saveDocument(null, copyOf(document, idsOf(await listed(client))));
  void client.invalidateQueries({ queryKey: keys.flows.list });
  return copy;
}
