import { look } from "./harness/look.ts";
import { expect, test } from "./harness/test.ts";

test("a first visit shows what there is to start, and nothing that runs", async ({ page }) => {
  await page.goto("/");
  await expect(page.getByText("Nothing waits for an answer.")).toBeVisible();
  await expect(page.getByText("Nothing is running.")).toBeVisible();
  await expect(page.getByText("Nothing has failed.")).toBeVisible();
  await expect(page.getByText("Nothing has run yet")).toBeVisible();
  await expect(page.getByRole("list", { name: "Saved flows" }).getByRole("listitem").first()).toBeVisible();
  await look(page, "home-first");
});

test("what runs, what waits and what failed stands there as it happens", async ({ page, segue }) => {
  await segue.tool("tool.fail", "exit 3");
  await segue.tool("tool.hold", "while [ ! -e gate ]; do sleep 0.05; done; printf '{\"held\": true}'");
  await segue.flow({
    schema_version: 1,
    id: "fails",
    name: "A flow that fails",
    steps: [{ id: "fail", type: "tool.task", params: { title: "Fail", capability_id: "tool.fail" } }],
  });
  await segue.flow({
    schema_version: 1,
    id: "holds",
    name: "A flow that holds",
    steps: [{ id: "hold", type: "tool.task", params: { title: "Hold", capability_id: "tool.hold" } }],
  });
  await segue.flow({
    schema_version: 2,
    id: "asks",
    name: "A flow that asks",
    steps: [
      {
        id: "ask",
        type: "human.task",
        prompt: "May it be sent?",
        params: {
          title: "Ask first",
          options: [
            { id: "yes", label: "Yes" },
            { id: "no", label: "No" },
          ],
        },
      },
    ],
  });
  await page.goto("/");
  await expect(page.getByText("Nothing has run yet")).toBeVisible();
  const waits = page.getByRole("region", { name: /^Waits for you/ });
  const runs = page.getByRole("region", { name: /^Running/ });
  const failed = page.getByRole("region", { name: /^Failed lately/ });

  await segue.start("fails");
  await expect(failed.getByRole("link", { name: "A flow that fails" })).toBeVisible();
  await expect(failed).toContainText("fail: ");
  await expect(failed).toContainText("status 3");
  const held = await segue.start("holds");
  await expect(runs.getByRole("link", { name: "A flow that holds" })).toBeVisible();
  await segue.task("[[hang]]", "codex");
  await expect(runs.getByRole("listitem").filter({ hasText: "codex" }).getByRole("link")).toBeVisible();
  const asking = await segue.start("asks");
  await expect(waits.getByRole("link", { name: "Ask first" })).toBeVisible();
  await look(page, "home");

  segue.open("gate");
  await expect(runs.getByRole("link", { name: "A flow that holds" })).toBeHidden();
  await expect(page.getByRole("region", { name: /^Recent Runs/ })).toContainText("Succeeded");
  expect((await segue.get(`/api/v1/runs/${held}`)).status).toBe("succeeded");
  await waits.getByRole("link", { name: "Ask first" }).click();
  await expect(page).toHaveURL(new RegExp(`/runs/${asking}\\?node=ask$`));
});

test("a description gets a suggestion beside what is there, and nothing is run", async ({ page, segue }) => {
  await page.goto("/");
  const panel = page.getByRole("region", { name: "From a description" });
  await panel.getByRole("button", { name: "Suggest" }).click();
  await expect(panel.getByText("Say what is to be made.", { exact: true })).toBeVisible();
  const about = "A thorough article about otters, with sources, reviewed and revised before it is published";
  await panel.getByRole("textbox", { name: "What is to be made?" }).fill(about);
  await panel.getByRole("button", { name: "Suggest" }).click();
  const suggestion = panel.getByRole("region", { name: "Suggestion" });
  await expect(suggestion).toContainText("fine");
  await expect(suggestion).toContainText("it asks for care");
  await expect(suggestion).toContainText("Built-in roles");
  await expect(suggestion).toContainText("not installed");
  await look(page, "home-suggestion");
  expect((await segue.get("/api/v1/runs")).items).toEqual([]);
  const before = (await segue.get("/api/flows")).length;
  await panel.getByRole("textbox", { name: "What is to be made?" }).fill("A short note");
  await expect(suggestion).toBeHidden();
  await panel.getByRole("button", { name: "Suggest" }).click();
  await expect(suggestion).toContainText("compact");
  await suggestion.getByRole("button", { name: "Save it as a flow" }).click();
  await expect(page).toHaveURL(/\/flows\/task_/);
  expect((await segue.get("/api/flows")).length).toBe(before + 1);
  expect((await segue.get("/api/v1/runs")).items).toEqual([]);
});
