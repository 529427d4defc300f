// Who executes the steps of agents that are bound to nothing: the same field in every form that starts Runs.

export const executor = {
  label: "Executor",
  hint: "Does the steps of agents that are bound to no capability.",
  names: {
    deterministic: "Built-in roles (no agent)",
    codex: "Codex",
    opencode: "OpenCode",
  },
  unavailable: "not installed",
};
