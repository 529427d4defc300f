// The screens of the contract, which are named behind a `?`, and the addresses here that show what they show. Pure.

/** The address behind the `#` of the screen that a query names; null when it names none. */
export function hashOf(query: string, firstRun: string | undefined): string | null {
  switch (new URLSearchParams(query).get("screen")) {
    case "home":
      return "#/";
    // The graph of a Run is that of its flow.
    case "flows":
    case "runs":
      return firstRun === undefined ? "#/" : `#/runs/${encodeURIComponent(firstRun)}`;
    default:
      return null;
  }
}
