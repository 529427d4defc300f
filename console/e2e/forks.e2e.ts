import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { look } from "./harness/look.ts";
import { ended, heading, node, notes, settled, startAuthorized } from "./harness/run.ts";
import type { Json, Segue } from "./harness/segue.ts";
import { expect, test } from "./harness/test.ts";

/** A step that writes, and then waits until a file is there; behind it one that publishes. */
const writing = (prompt = "Write it"): Json => ({
  schema_version: 2,
  id: "writing",
  name: "Writing",
  steps: [
    {
      id: "write",
      type: "tool.task",
      on_uncertain: "ask",
      params: { title: "Write", capability_id: "write.tool" },
      prompt,
    },
    { id: "publish", type: "artifact.task", from: "write", params: { title: "Publish" } },
  ],
});

async function writer(segue: Segue): Promise<string> {
  const body = [
    "cat >/dev/null",
    "echo line >> written.txt",
    "until [ -e go ]; do sleep 0.05; done",
    `printf '{"model_output":"done"}'`,
  ];
  await segue.tool("write.tool", body.join("\n"), ["execute_process", "write_local"]);
  return segue.flow(writing());
}

/** How often it wrote. */
function written(segue: Segue): number {
  try {
    return readFileSync(join(segue.workspace, "written.txt"), "utf8").split("\n").length - 1;
  } catch {
    return 0;
  }
}

/** A Run whose writer was lost in the middle. */
async function lost(segue: Segue): Promise<string> {
  const run = await startAuthorized(segue, await writer(segue));
  await expect.poll(() => written(segue)).toBe(1);
  await segue.crash();
  await segue.serve();
  await settled(segue, run, ({ waiting }) => waiting);
  return run;
}

const leave = (page: Page) => page.getByRole("dialog", { name: "This Run writes. May it?" });
const runCount = async (segue: Segue) => (await segue.get("/api/v1/runs")).items.length;

/** What, who and where stand there; refused first, and given when asked again. */
async function refusedThenGiven(page: Page, segue: Segue, ask: () => Promise<void>, name: string): Promise<void> {
  const before = await runCount(segue);
  await ask();
  const table = leave(page).getByRole("table", { name: "What needs your leave" });
  await expect(table.getByRole("row").nth(1)).toContainText("writes on this machine");
  await expect(table.getByRole("row").nth(1)).toContainText("Write");
  await expect(table.getByRole("row").nth(1)).toContainText("files of this machine");
  await look(page, name);
  await leave(page).getByRole("button", { name: "Cancel" }).click();
  await expect(leave(page)).toBeHidden();
  expect(await runCount(segue)).toBe(before);
  await ask();
  await leave(page).getByRole("button", { name: "Authorize and start" }).click();
  await expect(leave(page)).toBeHidden();
}

test("a writer that was lost waits for a decision, and is run again", async ({ page, segue }) => {
  const run = await lost(segue);
  await page.goto("/");
  const waits = page.getByRole("region", { name: /^Waits for you/ });
  await expect(waits).toContainText("needs your decision");
  await waits.getByRole("link", { name: "Write" }).click();
  await expect(page).toHaveURL(new RegExp(`/runs/${run}\\?node=write$`));
  await expect(heading(page)).toContainText("Waiting");
  const decision = page.getByRole("region", { name: "May have written, outcome unknown" });
  await decision.getByRole("radio", { name: "Run it again" }).click();
  await look(page, "run-decide");
  segue.open("go");
  await decision.getByRole("button", { name: "Run it again" }).click();
  await expect(heading(page)).toContainText("Succeeded");
  await expect(node(page, "Publish", "Succeeded")).toBeVisible();
  expect(written(segue)).toBe(2);
});

test("a writer that was lost is counted as failed, and the Run is forked with new leave", async ({ page, segue }) => {
  const run = await lost(segue);
  await page.goto(`/runs/${run}`);
  const asked = page.getByRole("list", { name: "Your answer is asked for" }).getByRole("button");
  await expect(asked).toContainText("May have written, outcome unknown");
  await asked.click();
  const decision = page.getByRole("region", { name: "May have written, outcome unknown" });
  await decision.getByRole("button", { name: "Count it as failed" }).click();
  await expect(heading(page)).toContainText("Failed");
  await expect(node(page, "Write", "Failed")).toBeVisible();
  expect(written(segue)).toBe(1);

  segue.open("go");
  await page.getByRole("button", { name: "Close the node" }).click();
  await page.getByRole("region", { name: "Why" }).getByRole("button", { name: "Fork from Write" }).click();
  const form = page.getByRole("dialog", { name: "Run again from Write" });
  await form.getByRole("checkbox", { name: "I know that these nodes run again" }).click();
  const ask = () => form.getByRole("button", { name: "Fork" }).click();
  await refusedThenGiven(page, segue, ask, "run-fork-leave");
  await expect(page).not.toHaveURL(new RegExp(run));
  await expect(heading(page)).toContainText("Succeeded");
  await expect(page.getByRole("region", { name: "Authorized effects" })).toContainText("writes on this machine");
  expect(written(segue)).toBe(2);
});

test("a replay that writes asks for leave, and does nothing without it", async ({ page, segue }) => {
  const local = await writer(segue);
  segue.open("go");
  const run = await startAuthorized(segue, local);
  await ended(segue, run);
  await segue.api("PUT", `/api/flows/${local}`, { flow: writing("Write it otherwise") });
  await page.goto(`/runs/${run}`);
  await page.getByRole("button", { name: "Replay on the saved flow" }).click();
  const plan = page.getByRole("dialog", { name: "Replay on the flow as it is saved now" });
  await expect(plan.getByRole("listitem").first()).toContainText("Pending");
  const ask = () => plan.getByRole("button", { name: "Replay" }).click();
  await refusedThenGiven(page, segue, ask, "run-replay-leave");
  await expect(page).not.toHaveURL(new RegExp(run));
  await expect(heading(page)).toContainText("Succeeded");
  expect(written(segue)).toBe(2);
});

test("a replay of an unchanged flow says that there is nothing to run", async ({ page, segue }) => {
  await notes(segue);
  const run = await segue.start("gated-note", { note: "Ship on Friday" });
  await ended(segue, run);
  await page.goto(`/runs/${run}`);
  await page.getByRole("button", { name: "Replay on the saved flow" }).click();
  const plan = page.getByRole("dialog", { name: "Replay on the flow as it is saved now" });
  await expect(plan.getByRole("status")).toContainText("There is nothing to run");
  await expect(plan.getByRole("button", { name: "Replay" })).toBeDisabled();
  await look(page, "run-replay-nothing");
});

test("a fork says what it takes over that was made with the inputs as they were", async ({ page, segue }) => {
  await notes(segue);
  const run = await segue.start("gated-note", { note: "Ship on Friday" });
  await ended(segue, run);
  await page.goto(`/runs/${run}?node=gate`);
  await page.getByRole("button", { name: "Fork from here" }).click();
  const form = page.getByRole("dialog", { name: /^Run again from/ });
  await form.getByRole("textbox", { name: /^note/ }).fill("Ship on Monday");
  const kept = form.getByRole("region", { name: "Keeps the inputs as they were" });
  await expect(kept.getByRole("listitem")).toHaveText(["Draft reads the inputs"]);
  await expect(kept).toContainText("fork from Draft");
  await look(page, "run-fork-stale");
});

test("a fork takes inputs that are changed in a form, and only those", async ({ page, segue }) => {
  await notes(segue);
  const run = await segue.start("gated-note", { note: "OPEN: ask legal" });
  await ended(segue, run);
  await page.goto(`/runs/${run}`);
  await page.getByRole("button", { name: "Fork from the producer, Draft" }).click();
  const form = page.getByRole("dialog", { name: "Run again from Draft" });
  const note = form.getByRole("textbox", { name: /^note/ });
  await expect(note).toHaveValue("OPEN: ask legal");
  await expect(form).toContainText("As they were.");
  await note.fill("");
  await form.getByRole("checkbox", { name: "I know that these nodes run again" }).click();
  await form.getByRole("button", { name: "Fork" }).click();
  await expect(form.getByText("A value is required.")).toBeVisible();
  expect(await runCount(segue)).toBe(1);
  await note.fill("Ship on Friday");
  await expect(form).toContainText("Different: note.");
  await expect(form.getByRole("region", { name: "Keeps the inputs as they were" })).toBeHidden();
  await look(page, "run-fork-inputs");
  const sent = page.waitForRequest((request) => request.url().endsWith("/forks"));
  await form.getByRole("button", { name: "Fork" }).click();
  expect((await sent).postDataJSON()).toMatchObject({ inputs: { note: "Ship on Friday" } });
  await expect(page).not.toHaveURL(new RegExp(run));
  await expect(heading(page)).toContainText("Succeeded");
  const detail = await segue.get(`/api/v1/runs/${new URL(page.url()).pathname.split("/").at(-1)}/detail`);
  expect(detail).toMatchObject({ flow_input: { note: "Ship on Friday" }, origin: { parent_run_id: run } });

  // What each of the two was run with, and which is the fork, is seen everywhere.
  await expect(page.getByRole("region", { name: "Run with" })).toContainText("Ship on Friday");
  await look(page, "run-inputs");
  await page.goto("/runs");
  const rows = page.getByRole("row");
  await expect(rows.nth(1)).toContainText("note: Ship on Friday");
  await expect(rows.nth(1)).toContainText("fork");
  await expect(rows.nth(2)).toContainText("note: OPEN: ask legal");
  await look(page, "runs-inputs");
  await page.goto("/");
  const recent = page.getByRole("list", { name: "Recent Runs" }).getByRole("listitem");
  await expect(recent.first()).toContainText("fork");
  await expect(recent.first()).toContainText("note: Ship on Friday");
  await expect(recent.nth(1)).toContainText("note: OPEN: ask legal");
  await look(page, "home-inputs");
});
