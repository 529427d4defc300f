// Kinds of nodes.

export const kinds: Readonly<Record<string, string>> = {
  "agent.task": "Agent",
  "model.task": "Model",
  "evaluation.task": "Evaluation",
  "tool.task": "Tool",
  "capability.task": "Tool",
  "artifact.task": "Publisher",
  "human.task": "Person",
  "flow.task": "Subflow",
};
