// What the server and the capabilities say of the document as it is now: asked a moment after the last change.

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import { capabilities } from "~/api/capabilities";
import { checked, planned } from "~/api/documents";
import { type FlowDocument, json, view } from "~/canvas/document";
import { gather } from "~/canvas/facts";

/** Typing is over when nothing was typed for this long. */
const PAUSE_MS = 300;

const NONE: never[] = [];

export function useFacts(document: FlowDocument) {
  const [settled, setSettled] = useState(document);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(document), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [document]);
  const text = useMemo(() => json(settled), [settled]);
  const check = useQuery({ ...checked(text), placeholderData: keepPreviousData });
  const plan = useQuery({ ...planned(text), placeholderData: keepPreviousData });
  const known = useQuery(capabilities()).data?.items ?? NONE;
  const facts = useMemo(
    () => gather(view(document), known, plan.data, check.data),
    [document, known, plan.data, check.data],
  );
  const isSettled = settled === document && !check.isPlaceholderData && !check.isFetching;
  return { facts, check, plan, isSettled };
}
