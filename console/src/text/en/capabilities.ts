// Agents and capabilities.

export const capabilities = {
  title: "Agents & capabilities",
  lead: "What the steps of a flow can be bound to.",
  list: "Capabilities",
  columns: { name: "Name", kind: "Kind", state: "State", id: "Id" },
  empty: {
    title: "No capability",
    body: "A capability is a program, tool, service or agent that a step can be bound to.",
  },
};
