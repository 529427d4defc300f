// Compare Runs.

export const compare = {
  title: "Compare Runs",
  empty: { title: "Choose two Runs", body: "Open a Run and choose Compare, or mark two in the list of Runs." },
};
