// New flow.

export const newFlow = {
  title: "New flow",
  empty: { title: "Start from a template", body: "Choose a template or open a document." },
};
