// Stability.

export const stability = {
  title: "Stability",
  empty: { title: "Nothing to show yet", body: "Stability needs Runs of the same flow on the same task." },
};
