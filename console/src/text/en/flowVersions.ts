// Words of the versions of a flow.

export const flowVersions = {
  title: "Versions",
  of: (name: string) => `Versions of “${name}”`,
  lead: "What was run, by the hash of what executes. Names of inputs and descriptions are no part of it.",
  label: "Versions that were run",
  columns: { version: "Version", nodes: "Nodes", first: "First Run", last: "Last Run", runs: "Runs" },
  runs: (count: number, more: boolean) => `${count}${more ? "+" : ""} ${count === 1 && !more ? "Run" : "Runs"}`,
  empty: {
    title: "No version was run yet",
    body: "Each Run keeps the flow as it was. Start one, change the flow, start another, and see here what changed.",
    open: "Open the flow",
  },
  changes: {
    title: "What changed",
    from: "From",
    to: "To",
    pick: "Two versions must have been run to compare them.",
    same: "Nothing that is executed has changed.",
    name: (before: string, after: string) => `The name: “${before}” became “${after}”.`,
    kinds: { added: "added", removed: "removed", changed: "changed" },
    label: "Changed nodes",
    member: "What",
    before: "Before",
    after: "After",
    nothing: "nothing",
  },
};
