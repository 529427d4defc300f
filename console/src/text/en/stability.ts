// Many Runs of one flow.

export const stability = {
  title: "Stability",
  lead: "How often each node of this flow succeeded, over all Runs of exactly this flow on this task. Forks do not count.",
  facts: { task: "Task", hash: "Flow hash", runs: "Runs that count" },
  unavailable: "Stability cannot be told",
  zero: {
    title: "No Run counts yet",
    body: "Only Runs that have ended count, of exactly this flow on this task, and no forks.",
    action: "Look at the Runs",
  },
  one: "One Run counts. From two on it can be told what is stable.",
  many: (count: number) => `${count} Runs count.`,
  chart: "Successes and failures by node",
  succeeded: "Succeeded",
  failed: "Failed",
  nodes: "Nodes",
  runs: "Runs that count",
  columns: {
    node: "Node",
    classification: "Verdict",
    observed: "Observed",
    succeeded: "Succeeded",
    failed: "Failed",
    latest: "Latest",
    executors: "Executors",
  },
  classifications: {
    not_observed: "Not observed",
    insufficient_evidence: "Too few Runs",
    stable_success: "Stable",
    repeated_failure: "Fails again and again",
    unstable: "Unstable",
  } as Readonly<Record<string, string>>,
};
