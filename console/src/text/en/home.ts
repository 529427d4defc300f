// Home.

export const home = {
  title: "Home",
  running: "Running",
  recent: "Recent Runs",
  nothing: { title: "Nothing has run yet", body: "Choose a flow and start it.", action: "Choose a flow" },
  start: "Start a flow",
};
