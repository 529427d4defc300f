// The evidence report.

export const report = {
  title: "Evidence report",
  lead: (segue: string, at: string) =>
    `Written by Segue ${segue} on ${at}. It needs no server and shows what was recorded.`,
  pages: "Pages of the report",
  overview: "Overview",
  run: (number: number) => `Run ${number}`,
  compare: "Compare",
  facts: { flow: "Flow", nodes: "Nodes", events: "Events", took: "Took", comparison: "Comparison" },
  runs: "Runs",
  flow: "Flow",
  equivalent: "equivalent",
  diverged: "they part",
  single: "one Run only",
  empty: {
    title: "This report is empty",
    body: "It was not written by `segue demo` or `segue export`, which fill it.",
  },
  readOnly: "To start a Run, start the console with `segue app`.",
};
