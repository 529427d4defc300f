// Whether the steps of a large flow are kept in the page while they are out of sight. To put them in and take them out
// costs more than anything else in a pan, so that they all stay once the flow rests far away, until it is zoomed.

import { useStoreApi } from "@xyflow/react";
import { startTransition, useEffect, useState } from "react";

/** After the last move. */
const REST_MS = 400;
/** More steps than this are never all in the page: it would stand still for seconds. */
const KEPT_MAX = 2000;

export function useKeeping(steps: number, below: number): boolean {
  const store = useStoreApi();
  const [isFar, setFar] = useState(false);
  const isCounted = steps <= KEPT_MAX;
  useEffect(() => {
    if (!isCounted) return;
    let rest: ReturnType<typeof setTimeout> | undefined;
    const settle = () => startTransition(() => setFar(store.getState().transform[2] < below));
    const moved = () => {
      clearTimeout(rest);
      rest = setTimeout(settle, REST_MS);
    };
    moved();
    const unsubscribe = store.subscribe((now, before) => {
      if (now.transform === before.transform) return;
      // On the way nearer they go one after the other, as they come out of sight.
      if (now.transform[2] !== before.transform[2]) setFar(false);
      moved();
    });
    return () => {
      unsubscribe();
      clearTimeout(rest);
    };
  }, [store, below, isCounted]);
  return isFar && isCounted;
}
