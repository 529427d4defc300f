// Settings.

export const settings = {
  title: "Settings",
  lead: "How this Segue is set up, and how other programs reach it.",
  looks: { title: "Looks", theme: "Theme", hint: "Kept in this browser." },
  places: {
    title: "Where things are",
    workspace: "Workspace",
    workspaceHint: "Flows, capabilities and Runs belong to it, and processes work in it.",
    state: "State folder",
    stateHint: "The record of all work. It belongs to this machine and your user.",
    project: "Workspace id",
  },
  access: {
    title: "Access",
    lead: "Segue answers on this machine only. Programs of your user need no token; any other client shows the bearer token, which is only in its file.",
    address: "Address",
    token: "Token file",
    noToken: "none",
    document: "OpenAPI document",
    example: "A request with the token",
  },
  mcp: {
    title: "For MCP clients",
    lead: "A client starts this command and hands out tasks; they appear here.",
    command: "Command",
    addLabel: "Or let it be added",
    add: "Writes it into the settings of the clients on this machine, after showing what changes",
  },
  executors: { title: "Executors", available: "available", installed: "installed", missing: "not installed" },
  agents: {
    title: "Agents",
    nested: "This Segue runs inside an agent, so it hands out no task.",
    all: "What they offer",
  },
  about: {
    title: "About",
    version: "Version",
    licence: "Licence",
    licences: "Apache-2.0 or MIT, at your choice",
    shortcuts: "Press ? anywhere for the keyboard shortcuts.",
  },
};
