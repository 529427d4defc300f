// A stream for as long as a component is shown and its page can be seen. A browser keeps six connections to one server
// for all its tabs, and each stream holds one: tabs in the background give theirs back and go on where they were.

import { useEffect, useEffectEvent, useRef, useSyncExternalStore } from "react";
import { listen, type StreamListener } from "./stream";

export interface UseStreamOptions {
  /** Only events behind this number, at first. */
  after?: number;
}

/** Listens to `path`; `null` listens to nothing. */
export function useStream<T>(path: string | null, listener: StreamListener<T>, options: UseStreamOptions = {}): void {
  const visible = useSyncExternalStore(watchVisibility, isVisible);
  const last = useRef<{ path: string | null; id: number }>({ path: null, id: 0 });
  const onEvent = useEffectEvent((event: T, id: number) => listener.onEvent(event, id));
  const onOpen = useEffectEvent(() => listener.onOpen?.());
  const onLost = useEffectEvent(() => listener.onLost?.());
  const onEnd = useEffectEvent(() => listener.onEnd?.());
  const first = useEffectEvent(() => options.after ?? 0);

  useEffect(() => {
    if (path === null || !visible) return;
    if (last.current.path !== path) last.current = { path, id: first() };
    return listen<T>(
      path,
      {
        onEvent: (event, id) => {
          last.current.id = id;
          onEvent(event, id);
        },
        onOpen: () => onOpen(),
        onLost: () => onLost(),
        onEnd: () => onEnd(),
      },
      { after: last.current.id },
    );
  }, [path, visible]);
}

function isVisible(): boolean {
  return document.visibilityState !== "hidden";
}

function watchVisibility(changed: () => void): () => void {
  document.addEventListener("visibilitychange", changed);
  return () => document.removeEventListener("visibilitychange", changed);
}
