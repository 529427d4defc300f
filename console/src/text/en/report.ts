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
  leftOut: {
    title: "Not everything is in this page",
    body: (room: string, file: string) =>
      `A report holds at most ${room} of evidence. What it leaves out is in ${file}, which was written with it:`,
    nodes: (count: number) => `the details of ${count} ${count === 1 ? "node" : "nodes"}`,
    events: (count: number) => `the last ${count} ${count === 1 ? "event" : "events"}`,
    artifacts: (count: number) => `the content of ${count} ${count === 1 ? "artifact" : "artifacts"}`,
    others: (count: number) => `${count} ${count === 1 ? "overview or comparison" : "overviews and comparisons"}`,
  },
  readOnly: "To start a Run, start the console with `segue app`.",
};
