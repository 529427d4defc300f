// Settings.

export const settings = {
  title: "Settings",
  about: "This Segue",
  facts: { workspace: "Workspace", state: "State folder" },
};
