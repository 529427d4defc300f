// Whether Segue can be reached, as the shell shows it.

import { create } from "zustand";
import { onReached } from "./client";

export type ConnectionState = "connecting" | "live" | "lost";

interface Connection {
  state: ConnectionState;
  /** When the connection was lost; what is shown is from then. */
  lostAt: number | null;
  /** How often it came back, so that the shell can say so once. */
  recoveries: number;
}

export const useConnection = create<Connection>(() => ({ state: "connecting", lostAt: null, recoveries: 0 }));

export function connectionLost(now = Date.now()): void {
  useConnection.setState((held) => (held.state === "lost" ? held : { ...held, state: "lost", lostAt: now }));
}

export function connectionStands(): void {
  useConnection.setState((held) => {
    if (held.state === "live") return held;
    const back = held.state === "lost" ? 1 : 0;
    return { state: "live", lostAt: null, recoveries: held.recoveries + back };
  });
}

/** A request that found nobody is a lost connection, whatever the stream says; only the stream says that it is back. */
export function watchRequests(): () => void {
  return onReached((reached) => {
    if (!reached) connectionLost();
  });
}
