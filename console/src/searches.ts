// What stands behind the `?` of the addresses that the console and the report share.

import { integer, oneOf, some, words } from "./search";

export const RUN_VIEWS = ["compact", "timeline", "history"] as const;
export const NODE_TABS = ["overview", "input", "result", "attempts", "events"] as const;

export function runSearch(search: Record<string, unknown>) {
  return some({
    node: words(search.node),
    view: oneOf(RUN_VIEWS, search.view),
    tab: oneOf(NODE_TABS, search.tab),
    /** The number of the event at which the Run is looked at; the present without it. */
    at: integer(search.at),
  });
}

export function compareSearch(search: Record<string, unknown>) {
  return some({ a: words(search.a), b: words(search.b) });
}
