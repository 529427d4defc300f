// Names of what the console keeps from the API. What belongs to one Run, task or flow has its key as a prefix, so that
// one event makes all of it stale.

export const keys = {
  runs: {
    all: ["runs"] as const,
    lists: ["runs", "list"] as const,
    /** What no event changes. */
    frozen: ["runs", "frozen"] as const,
    list: (filter: object) => ["runs", "list", filter] as const,
    one: (runId: string) => ["runs", "one", runId] as const,
    part: (runId: string, part: string, ...rest: readonly unknown[]) => ["runs", "one", runId, part, ...rest] as const,
  },
  flows: {
    all: ["flows"] as const,
    list: ["flows", "list"] as const,
    one: (flowId: string) => ["flows", "one", flowId] as const,
    part: (flowId: string, part: string, ...rest: readonly unknown[]) =>
      ["flows", "one", flowId, part, ...rest] as const,
  },
  tasks: {
    all: ["tasks"] as const,
    lists: ["tasks", "list"] as const,
    list: (filter: object) => ["tasks", "list", filter] as const,
    kept: ["tasks", "list", "kept"] as const,
    one: (taskId: string) => ["tasks", "one", taskId] as const,
    part: (taskId: string, part: string, ...rest: readonly unknown[]) =>
      ["tasks", "one", taskId, part, ...rest] as const,
  },
  /** What an agent offers is apart: no event makes it stale, as it takes a start to learn it. */
  agents: { all: ["agents"] as const, one: (agent: string) => ["agent", agent] as const },
  capabilities: { all: ["capabilities"] as const },
  schedules: { all: ["schedules"] as const },
  system: { status: ["system", "status"] as const, settings: ["system", "settings"] as const },
  comparison: (left: string, right: string) => ["comparison", left, right] as const,
  stability: (taskId: string, flowHash: string) => ["stability", taskId, flowHash] as const,
};
