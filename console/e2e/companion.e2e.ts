import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Segue } from "./harness/segue.ts";
import { test as base, expect } from "./harness/test.ts";

const test = base.extend<{ companion: string }>({
  companion: async ({ segue }, use) => {
    // A copy of its own, so that Python leaves nothing in the checkout.
    segue.examples();
    const child = await start(segue);
    try {
      await use(child.url);
    } finally {
      const ended = once(child.process, "exit");
      child.process.kill();
      await ended;
    }
  },
});

async function start(segue: Segue): Promise<{ process: ChildProcess; url: string }> {
  const program = join(segue.workspace, "examples/companion/companion.py");
  const child = spawn("python3", [program, "--port", "0", "--segue", segue.url], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith("page=")) return { process: child, url: line.slice("page=".length) };
  }
  throw new Error("the companion did not start");
}

test("a companion plans, is confirmed, and verifies what came of it", async ({ page, segue, companion }) => {
  await page.goto(companion);
  await page.getByLabel("Title").fill("Ship on Friday");
  await page.getByLabel("Points, one a line").fill("New parser\nFaster start");
  await page.getByRole("button", { name: "Show the plan" }).click();
  const plan = page.getByRole("region", { name: "Plan" });
  await expect(plan).toContainText("companion-note-balanced. It is not in Segue yet.");
  await expect(plan).toContainText("balanced (as suggested). A short note: compose it and file it.");
  await expect(plan.getByRole("row", { name: /^file/ })).toContainText("execute_process, write_local");
  await expect(plan.getByRole("button", { name: "Run it" })).toBeHidden();
  await plan.getByRole("button", { name: "Add the flow to Segue" }).click();
  await expect(plan).toContainText("It is in Segue.");

  // A change throws the plan away, and what was confirmed with it.
  const confirm = plan.getByRole("checkbox", { name: /I have read the plan. “file” may write/ });
  const run = plan.getByRole("button", { name: "Run it" });
  await expect(run).toBeDisabled();
  await confirm.check();
  await expect(run).toBeEnabled();
  await page.getByLabel("Title").fill("Ship on Monday");
  await expect(plan).toBeHidden();
  await expect(page.getByRole("status")).toContainText("the plan is not valid any more");
  await page.getByRole("button", { name: "Show the plan" }).click();
  await expect(plan).toContainText('"title": "Ship on Monday"');
  await expect(confirm).not.toBeChecked();
  expect((await segue.get("/api/v1/runs")).items).toEqual([]);

  await confirm.check();
  await run.click();
  const seen = page.getByRole("region", { name: "Run" });
  await expect(seen.getByRole("list", { name: "Steps" }).getByRole("listitem")).toHaveText([
    "compose: succeeded",
    "file: succeeded",
    "publish: succeeded",
  ]);
  await expect(seen).toContainText("Verified: these are the bytes that the run published.");
  await expect(seen.getByLabel("Content of the artifact")).toContainText("# Ship on Monday");
  expect(readFileSync(join(segue.workspace, "notes/ship-on-monday.md"), "utf8")).toBe(
    "# Ship on Monday\n\n- New parser\n- Faster start\n",
  );
  expect((await segue.get("/api/v1/runs")).items).toHaveLength(1);
});

test("a companion tells a changed artifact, a rejected note, and that Segue is away", async ({
  page,
  segue,
  companion,
}) => {
  await page.goto(companion);
  await page.getByLabel("Title").fill("Four things");
  await page.getByLabel("Points, one a line").fill("One\nTwo\nThree\nTBD four");
  await page.getByRole("button", { name: "Show the plan" }).click();
  await page.getByRole("button", { name: "Add the flow to Segue" }).click();
  const plan = page.getByRole("region", { name: "Plan" });
  await expect(plan).toContainText("fine (as suggested). 4 points");
  await plan.getByRole("checkbox").check();
  await plan.getByRole("button", { name: "Run it" }).click();
  await expect(page.getByText("evaluation_rejected at check. What to mend was made by compose.")).toBeVisible();

  await page.route("**/artifacts/*", (route) => route.fulfill({ body: "# Something else" }));
  await page.getByLabel("Points, one a line").fill("One\nTwo\nThree\nFour");
  await page.getByRole("button", { name: "Show the plan" }).click();
  await plan.getByRole("checkbox").check();
  await plan.getByRole("button", { name: "Run it" }).click();
  await expect(page.getByText(/^Not what the run published/)).toBeVisible();

  await segue.stop();
  await page.getByRole("button", { name: "Show the plan" }).click();
  await expect(page.getByRole("alert")).toContainText("Start it with `segue app`");
});
