import { look } from "./harness/look.ts";
import { ended, startAuthorized } from "./harness/run.ts";
import { expect, test } from "./harness/test.ts";

test("a task is handed out, watched while the agent works, and judged", async ({ page, segue }) => {
  await page.goto("/tasks");
  await expect(page.getByText("No task yet")).toBeVisible();
  await look(page, "tasks-empty");
  await page.getByRole("button", { name: "Hand out a task" }).first().click();
  const dialog = page.getByRole("dialog", { name: "Hand out a task" });
  await dialog.getByRole("button", { name: "Start" }).click();
  await expect(dialog.getByText("Choose an agent.")).toBeVisible();
  await expect(dialog.getByText("Say what is to be done.")).toBeVisible();
  expect((await segue.get("/api/v1/channel/tasks")).items).toEqual([]);

  await dialog.getByRole("combobox", { name: /^Agent/ }).click();
  await page.getByRole("option", { name: "opencode" }).click();
  const script = [
    "[[plan]][[think:Where do I begin?]][[say:I begin.]][[tool:read:Read the notes]][[write:note.txt:done]]",
    "[[run:touch refused.txt]][[wait_file:gate]][[say:All is done.]][[usage:1200:345]][[usage_update]]",
  ].join("");
  await dialog.getByRole("textbox", { name: /^Prompt/ }).fill(script);
  await dialog.getByRole("checkbox", { name: "edit files" }).click();
  await look(page, "task-dispatch");
  await dialog.getByRole("button", { name: "Start" }).click();

  await expect(page.getByText("Task of opencode.")).toBeVisible();
  await expect(page.getByRole("heading", { level: 1 })).toContainText("[[plan]]");
  await expect(page).toHaveTitle(/^\[\[plan\]\].* · Segue$/);
  const activity = page.getByRole("region", { name: "Activity of the agent" });
  await expect(activity.getByText("I begin.")).toBeVisible();
  await expect(activity.getByText("Read the notes")).toBeVisible();
  await expect(activity.getByText("allowed by the task's settings")).toBeVisible();
  await expect(activity.getByText("refused", { exact: true })).toBeVisible();
  await expect(page.getByText("Live: what happens appears here.")).toBeVisible();
  await expect(activity.getByText("All is done.")).toBeHidden();
  await look(page, "task-live");

  segue.open("gate");
  await expect(activity.getByText("All is done.")).toBeVisible();
  await expect(page.getByText("The task has ended; there will be nothing more.")).toBeVisible();
  const receipt = page.getByRole("region", { name: "Receipt", exact: true });
  await expect(receipt).toContainText("touch refused.txt");
  await expect(receipt).toContainText("not run");
  await expect(page.getByRole("region", { name: "Usage" })).toContainText("1,200");
  await expect(page.getByRole("region", { name: "Settings in force" })).toContainText("as asked");
  await expect(page.getByRole("region", { name: "Stop receipt" })).toContainText("The process tree was seen empty.");
  await expect(page.getByRole("region", { name: "Final message" })).toContainText("All is done.");
  await look(page, "task-ended");

  await page.getByRole("tab", { name: "Prompt" }).click();
  await expect(page.getByRole("region", { name: "The prompt" })).toContainText("[[plan]]");
  await page.getByRole("tab", { name: /Events/ }).click();
  await page.getByRole("searchbox", { name: "Filter" }).fill("permission");
  const events = page.getByRole("region", { name: "All events of the task" });
  await expect(events.getByRole("listitem").first()).toContainText("allowed");
  await events
    .getByRole("button", { name: /permission/ })
    .first()
    .click();
  await expect(events.getByRole("figure")).toContainText("decision");
  expect(new URL(page.url()).search).toBe("?tab=events");
  await page.reload();
  await expect(page.getByRole("tab", { name: /Events/ })).toHaveAttribute("aria-selected", "true");

  await expect(page.getByRole("button", { name: "Forget" })).toBeDisabled();
  await page.getByRole("button", { name: "Judge" }).click();
  await page.getByRole("radio", { name: "needs follow-up" }).click();
  await page.getByRole("textbox", { name: "Note" }).fill("One command is left to run.");
  await page.getByRole("button", { name: "Record" }).click();
  await expect(page.getByRole("region", { name: "The task", exact: true })).toContainText("needs follow-up by console");
  await page.getByRole("button", { name: "Forget" }).click();
  await page.getByRole("button", { name: "Forget the task" }).click();
  await expect(page.getByText("No task yet")).toBeVisible();
  expect((await segue.get("/api/v1/channel/tasks")).items).toEqual([]);
});

test("a task is stopped after a question, and tells how its processes ended", async ({ page, segue }) => {
  const id = await segue.task("[[say:I will be long.]][[hang]]", "codex");
  await page.goto(`/tasks/${id}`);
  await expect(page.getByText("I will be long.", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Stop" }).click();
  const question = page.getByRole("alertdialog", { name: "Stop this task?" });
  await question.getByRole("button", { name: "Keep it running" }).click();
  await expect(question).toBeHidden();
  expect((await segue.get(`/api/v1/channel/tasks/${id}`)).status).toBe("running");
  await page.getByRole("button", { name: "Stop" }).click();
  await question.getByRole("button", { name: "Stop the task" }).click();
  await expect(page.getByRole("region", { name: "Stop receipt" })).toContainText("codex-acp");
  await expect(page.getByText("It was stopped.").first()).toBeVisible();
});

test("a kept agent is extended, given another turn, and released", async ({ page, segue }) => {
  const id = await segue.task("[[remember:word:lantern]][[say:Kept.]]", "opencode", { keep_idle: 300, keep_turns: 3 });
  await page.goto(`/tasks/${id}`);
  const kept = page.getByRole("region", { name: "Kept agent" });
  await expect(kept).toContainText("waits");
  await kept.getByRole("button", { name: "Keep longer" }).click();
  const extend = page.getByRole("dialog", { name: "Keep the agent longer" });
  await extend.getByRole("textbox", { name: /Further turns/ }).fill("21");
  await extend.getByRole("button", { name: "Keep longer" }).click();
  await expect(extend.getByText("A whole number from 1 to 20")).toBeVisible();
  await extend.getByRole("textbox", { name: /Further turns/ }).fill("7");
  await extend.getByRole("button", { name: "Keep longer" }).click();
  await expect(extend).toBeHidden();
  await expect(kept).toContainText("7");
  await kept.getByRole("button", { name: "Another turn" }).click();
  const dialog = page.getByRole("dialog", { name: "Hand out a task" });
  await dialog.getByRole("textbox", { name: /^Prompt/ }).fill("[[recall:word]]");
  await dialog.getByRole("button", { name: "Start" }).click();
  await expect(page.getByRole("region", { name: "Final message" })).toContainText("lantern");
  expect(page.url()).not.toContain(id);
  await page.getByRole("region", { name: "Kept agent" }).getByRole("button", { name: "Release" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Release" }).click();
  await expect(page.getByRole("region", { name: "Kept agent" })).toContainText("released");
});

test("tasks are filtered, and the filter stands in the address", async ({ page, segue }) => {
  await segue.task("[[hang]]", "codex");
  await segue.task("[[error:-32000:out of paper]]", "opencode");
  await page.goto("/tasks");
  const table = page.getByRole("table", { name: "Tasks, newest first" });
  await expect(table.getByRole("row")).toHaveCount(3);
  await expect(table.getByText("Failed", { exact: true })).toBeVisible();
  await expect(table.getByRole("row", { name: /codex/ }).getByRole("link", { name: "[[hang]]" })).toBeVisible();
  await look(page, "tasks");
  await page.getByRole("combobox", { name: "Agent" }).click();
  await page.getByRole("option", { name: "codex" }).click();
  await expect(table.getByRole("row")).toHaveCount(2);
  expect(new URL(page.url()).searchParams.get("agent")).toBe("codex");
  await page.reload();
  await expect(table.getByRole("row")).toHaveCount(2);
  await page.getByRole("combobox", { name: "State" }).click();
  await page.getByRole("option", { name: "Succeeded" }).click();
  await expect(page.getByText("No task is like that")).toBeVisible();
  await page.getByRole("link", { name: "Show all tasks" }).click();
  await expect(table.getByRole("row")).toHaveCount(3);
});

test("a server that died is told, and what happened meanwhile is there when it is back", async ({ page, segue }) => {
  const id = await segue.task("[[say:Before.]][[wait_file:gate]][[say:After.]]", "opencode");
  await page.goto(`/tasks/${id}`);
  await expect(page.getByText("Before.", { exact: true })).toBeVisible();
  await segue.kill();
  await expect(page.getByText("Connection lost").first()).toBeVisible();
  segue.open("gate");
  await segue.serve();
  await expect(page.getByText("The connection is back.")).toBeVisible();
  await expect(page.getByRole("region", { name: "Final message" })).toContainText("After.");
});

test("all kept agents stand on one page, and are let go there", async ({ page, segue }) => {
  const first = await segue.task("[[say:Kept.]]", "opencode", { keep_idle: 300, keep_turns: 3 });
  await segue.task("[[say:Kept too.]]", "codex", { keep_idle: 600, keep_turns: 1 });
  await page.goto("/tasks");
  await page.getByRole("link", { name: "Kept agents" }).click();
  await expect(page).toHaveURL(/\/kept-agents$/);
  const table = page.getByRole("table", { name: "Kept agents" });
  await expect(table.getByRole("button", { name: "Release" })).toHaveCount(2);
  const row = table.getByRole("row", { name: /opencode/ });
  await expect(row).toContainText("waits");
  await expect(row.getByRole("link")).toHaveAttribute("href", `/tasks/${first}`);
  await look(page, "kept-agents");
  await page.reload();
  await row.getByRole("button", { name: "Release" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Release" }).click();
  await expect(table.getByRole("button", { name: "Release" })).toHaveCount(1);
  await table.getByRole("button", { name: "Another turn" }).click();
  const dialog = page.getByRole("dialog", { name: "Hand out a task" });
  await dialog.getByRole("textbox", { name: /^Prompt/ }).fill("[[say:Once more.]]");
  await dialog.getByRole("button", { name: "Start" }).click();
  await expect(page.getByRole("region", { name: "Final message" })).toContainText("Once more.");
  await page.goto("/kept-agents");
  await expect(page.getByText("No agent is kept at the moment")).toBeVisible();
});

test("the task of a step and its Run lead to each other, and both show its receipt", async ({ page, segue }) => {
  await segue.post("/api/v1/capabilities", {
    kind: "acp_agent",
    id: "code.agent",
    name: "Agent",
    config: { agent: "opencode" },
  });
  const local = await segue.flow({
    schema_version: 2,
    id: "agent-flow",
    name: "agent-flow",
    steps: [
      {
        id: "write",
        type: "agent.task",
        from: null,
        params: { title: "Write", capability_id: "code.agent" },
        prompt: "[[say:Written.]]",
      },
    ],
  });
  const run = await startAuthorized(segue, local);
  await ended(segue, run);
  await page.goto(`/runs/${run}?node=write&tab=result`);
  const panel = page.getByRole("region", { name: "Write" });
  await expect(panel).toContainText("Written.");
  await expect(panel.getByRole("region", { name: "Receipt" })).toContainText("Tool calls");
  await look(page, "run-receipt");
  await page.getByRole("tab", { name: "Overview" }).click();
  await panel.getByRole("link", { name: /^task_/ }).click();
  await expect(page).toHaveURL(/\/tasks\/task_/);
  const back = page.getByRole("link", { name: "agent-flow, write" });
  await look(page, "task-of-run");
  await back.click();
  await expect(page).toHaveURL(new RegExp(`/runs/${run}\\?node=write$`));
});
