// Runs, their list.

export const runs = {
  title: "Runs",
  lead: "Every execution of a flow, with all of its evidence.",
  list: "Runs, newest first",
  columns: {
    flow: "Flow",
    state: "State",
    progress: "Nodes",
    started: "Started",
    took: "Took",
    made: "Made",
    run: "Run",
  },
  fork: "fork",
  inputs: "Run with",
  filters: "Filter the Runs",
  search: "Search",
  searchPlaceholder: "Flow, task or Run id",
  state: "State",
  anyState: "Any state",
  flow: (flow: string) => `Only ${flow}`,
  allFlows: "Show Runs of all flows",
  start: "Start a flow",
  empty: {
    title: "Nothing has run yet",
    body: "A Run is one execution of a flow. Choose a flow and start it; its evidence appears here while it works.",
    action: "Choose a flow",
  },
  noMatch: { title: "No Run is like that", body: "Change the search or the state.", action: "Show all Runs" },
};
