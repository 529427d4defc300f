// One Run.

export const run = {
  title: (flow: string) => flow,
  facts: { run: "Run", state: "State", started: "Started", took: "Took", nodes: "Nodes", events: "Events" },
  facts_title: "Facts",
};
