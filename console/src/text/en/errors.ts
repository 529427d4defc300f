// What the console says when something went wrong.

export const errors = {
  unreachable: "Segue does not answer.",
  authorizationRequired: "This Run writes, and needs your leave first.",
  notRecorded: "This report does not hold what was asked for.",
  status: (status: number) => `Segue answered with status ${status} and no reason.`,
  tooLarge: (bytes: number, max: number) =>
    `The document has ${bytes.toLocaleString("en")} bytes, and a request takes ${max.toLocaleString("en")} at most`,
  /** What to do, by code. */
  waysOut: {
    unreachable: "Start it again with `segue app`; this page goes on by itself.",
    not_recorded:
      "The overview says what is left out and where it is. Other Runs are in the console of the machine that has them.",
    refused: "Correct what the message names and try again.",
    not_allowed: "Open the console on the machine and as the user that runs Segue, at the address `segue app` printed.",
    unknown: "It may have been deleted. Go back to the list to see what there is.",
    in_use: "Bind those steps to something else first.",
    too_large:
      "Export it, then `segue flow validate FILE` checks it and `segue flow save FILE` saves it, with `--replace` in place of a saved one. From then on it can be run here.",
    conflict: "Something changed meanwhile. Reload to see how it stands now.",
    fault: "This is a fault of Segue. Its log on standard error says more.",
    console: "This is a fault of the console. Reload the page.",
  } as Readonly<Record<string, string>>,
  title: "Something went wrong",
  code: "Code",
  retry: "Try again",
};
