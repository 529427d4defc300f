import { pathToFileURL } from "node:url";
import { look } from "./harness/look.ts";
import { ended, node, settled, tab } from "./harness/run.ts";
import { expect, test } from "./harness/test.ts";

const GOLDEN = "observable-golden-loop";

test("the report opens from disk and shows the same evidence, at addresses that last", async ({ page, segue }) => {
  const runs = [await segue.start(GOLDEN), await segue.start(GOLDEN, { report_focus: "Otters" })];
  for (const run of runs) await ended(segue, run);
  const exported = await segue.run("export", ...runs, "--file", "evidence.sqlite3");
  expect(exported, exported.stderr).toMatchObject({ code: 0 });
  await segue.stop();
  const report = pathToFileURL(`${segue.workspace}/evidence.html`).href;
  await page.goto(`${report}?screen=runs`);
  await expect(page).toHaveURL(`${report}#/runs/${runs[0]}`);
  await expect(node(page, "Draft the article", "Succeeded")).toBeVisible();
  await page.goto(report);
  await expect(page.getByText("they part: plan-article")).toBeVisible();
  await look(page, "report");
  await expect(page.getByText("Not everything is in this page")).toBeHidden();
  await page.getByRole("link", { name: "Run 2" }).click();
  await expect(page).toHaveURL(new RegExp(`#/runs/${runs[1]}$`));
  await node(page, "Draft the article", "Succeeded").click();
  const panel = page.getByRole("region", { name: "Draft the article" });
  await expect(panel).toContainText("worker_loop, begun here");
  await tab(page, "Result").click();
  await expect(panel.getByRole("figure", { name: "Result of Draft the article" })).toContainText("Otters");
  await page.getByRole("button", { name: "First event" }).click();
  await expect(node(page, "Plan the article", "Pending")).toBeVisible();
  await look(page, "report-run");
  await expect(page).toHaveURL(new RegExp(`#/runs/${runs[1]}\\?.*at=1$`));
  await page.reload();
  await expect(node(page, "Plan the article", "Pending")).toBeVisible();
  await expect(panel).toBeVisible();
  await page.getByRole("link", { name: "Compare", exact: true }).click();
  await expect(page.getByText("They part first at plan-article")).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`#/compare\\?a=${runs[0]}&b=${runs[1]}$`));
  await page.reload();
  await expect(page.getByText("They part first at plan-article")).toBeVisible();
  await page.goBack();
  await expect(panel).toBeVisible();
  await page.goForward();
  await expect(page.getByText("They part first at plan-article")).toBeVisible();
  await page.getByRole("link", { name: "Overview" }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Open article.md" }).first().click(),
  ]);
  expect(download.suggestedFilename()).toBe("article.md");
});

test("a report that has no room for everything says what is where", async ({ page, segue }) => {
  // As text in the page a "<" takes six bytes, and the page has room for 25 MB.
  await segue.tool(
    "big.tool",
    `cat >/dev/null; printf '{"model_output":"'; head -c 990000 /dev/zero | tr '\\0' '<'; printf '"}'`,
  );
  await segue.flow({
    schema_version: 1,
    id: "big",
    name: "Big",
    steps: [
      { id: "make", type: "tool.task", from: null, params: { title: "Make", capability_id: "big.tool" } },
      { id: "publish", type: "artifact.task", from: "make", params: { title: "Publish" } },
    ],
  });
  const runs = [await segue.start("big"), await segue.start("big")];
  for (const run of runs) await settled(segue, run, ({ status }) => status === "succeeded");
  const exported = await segue.run("export", ...runs, "--file", "evidence.sqlite3");
  expect(exported, exported.stderr).toMatchObject({ code: 0 });
  expect(exported.stderr).toContain("evidence.sqlite3");
  await page.goto(pathToFileURL(`${segue.workspace}/evidence.html`).href);
  const left = page.getByRole("region", { name: "Not everything is in this page" });
  await expect(left).toContainText("evidence.sqlite3");
  await look(page, "report-left-out");
  await page.getByRole("link", { name: "Run 1" }).click();
  await expect(node(page, "Publish", "Succeeded")).toBeVisible();
});
