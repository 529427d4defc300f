// Effects: what an executor may do to the world, and how leave for it is asked.

export const effects = {
  labels: {
    pure_compute: "computes only",
    read_local: "reads on this machine",
    read_external: "reads from outside",
    write_local: "writes on this machine",
    write_external: "writes outside",
    execute_process: "runs a program",
  } as Readonly<Record<string, string>>,
  publishes: "publishes into the Run's record",
  asks: "asks a person",
  where: {
    pure_compute: "nowhere",
    read_local: "files of this machine",
    read_external: "a service outside of this machine",
    write_local: "files of this machine",
    write_external: "a service outside of this machine",
    execute_process: "a program on this machine, as your user",
  } as Readonly<Record<string, string>>,
  none: "no effect",
  title: "This Run writes. May it?",
  lead: "Read what it may do. Your leave is for exactly this flow, this input and these nodes, and is asked once.",
  columns: { what: "What", who: "Who", where: "Where", risk: "Risk" },
  authorize: "Authorize and start",
  table: "What needs your leave",
  scope: (count: number) => `${count} ${count === 1 ? "node" : "nodes"} in all may execute.`,
  technical: "Technical details",
  facts: { flow: "Flow", hash: "Flow hash", input: "Input hash", authorization: "Authorization" },
};
