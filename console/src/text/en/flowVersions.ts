// Versions.

export const flowVersions = {
  title: "Versions",
  empty: { title: "One version", body: "Each saved change of a flow is a version." },
};
