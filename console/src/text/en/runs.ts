// Runs, their list.

export const runs = {
  title: "Runs",
  lead: "Every execution of a flow, with all of its evidence.",
  list: "Runs, newest first",
  columns: { flow: "Flow", state: "State", progress: "Nodes", started: "Started", took: "Took", run: "Run" },
  empty: {
    title: "Nothing has run yet",
    body: "A Run is one execution of a flow. Choose a flow and start it; its evidence appears here while it works.",
    action: "Choose a flow",
  },
};
