// Server-sent events that go on after the last one seen.
//
// The browser's EventSource comes back by itself while the server is merely away, and names the last event. It gives up
// for good on any answer that is no stream, and when the page asks again it has forgotten the number. So this file keeps
// the number, and opens a new source after a pause.

/** What happens on a stream. */
export interface StreamListener<T> {
  /** May be told an event twice after a reconnection. */
  onEvent: (event: T, id: number) => void;
  /** The stream stands. */
  onOpen?: () => void;
  /** The stream broke; it is tried again. */
  onLost?: () => void;
  /** There will be no more events. */
  onEnd?: () => void;
}

export interface StreamOptions {
  /** Only events behind this number. */
  after?: number;
  /** Stands in for the browser's EventSource in tests. */
  open?: (url: string) => EventSource;
  /** Stands in for the browser's clock in tests: calls back after so many milliseconds, and says how to call it off. */
  later?: (callback: () => void, ms: number) => () => void;
}

/** Pauses between tries; the last one stays. */
const PAUSES_MS = [500, 1_000, 2_000, 5_000];

const realLater = (callback: () => void, ms: number) => {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
};

/** Listens to `path` until the returned function is called, or until the stream ends. */
export function listen<T>(path: string, listener: StreamListener<T>, options: StreamOptions = {}): () => void {
  const { open = (url) => new EventSource(url), later = realLater } = options;
  let last = options.after ?? 0;
  let source: EventSource | null = null;
  let callOff: (() => void) | null = null;
  let failures = 0;
  let stopped = false;

  const stop = () => {
    stopped = true;
    callOff?.();
    source?.close();
    source = null;
  };

  const connect = () => {
    if (stopped) return;
    const opened = open(last === 0 ? path : `${path}${path.includes("?") ? "&" : "?"}after=${last}`);
    source = opened;
    opened.onopen = () => {
      failures = 0;
      listener.onOpen?.();
    };
    opened.onmessage = (message: MessageEvent<string>) => {
      const id = Number(message.lastEventId);
      // What was seen before is not told again. What has the number of the last one is: changes that are told together
      // carry the number before them, all but the last.
      if (Number.isSafeInteger(id) && id > 0) {
        if (id < last) return;
        last = id;
      }
      listener.onEvent(JSON.parse(message.data) as T, last);
    };
    opened.addEventListener("end", () => {
      stop();
      listener.onEnd?.();
    });
    opened.onerror = () => {
      if (stopped || source !== opened) return;
      opened.close();
      source = null;
      listener.onLost?.();
      const pause = PAUSES_MS[Math.min(failures, PAUSES_MS.length - 1)] ?? 0;
      failures += 1;
      callOff = later(connect, pause);
    };
  };

  connect();
  return stop;
}
