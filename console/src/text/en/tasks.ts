// Tasks of the channel.

export const tasks = {
  title: "Tasks",
  lead: "Work that was handed to agents.",
  list: "Tasks, newest first",
  columns: { agent: "Agent", state: "State", created: "Created", took: "Took", task: "Task" },
  empty: {
    title: "No task yet",
    body: "A task is one turn of one agent. A client of Segue's MCP server hands it out.",
  },
  record: "Record",
};
