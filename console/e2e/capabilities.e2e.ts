import { renameSync } from "node:fs";
import { look } from "./harness/look.ts";
import { expect, test } from "./harness/test.ts";

const ECHO = "printf '{\"heard\": true}'";

test("capabilities are found by words and kind, and each tells what it may do", async ({ page, segue }) => {
  await segue.tool("tool.paint", ECHO, ["execute_process", "write_local"]);
  await page.goto("/capabilities");
  const table = page.getByRole("table", { name: "Capabilities" });
  await expect(table.getByRole("row")).toHaveCount(4);
  await page.getByRole("searchbox", { name: "Search capabilities" }).fill("paint");
  await expect(table.getByRole("row")).toHaveCount(2);
  await page.getByRole("searchbox", { name: "Search capabilities" }).fill("");
  await page.getByRole("combobox", { name: "Kind" }).click();
  await page.getByRole("option", { name: "HTTP endpoint" }).click();
  await expect(table.getByRole("row")).toHaveCount(2);
  await page.getByRole("link", { name: "Sample over HTTP" }).click();
  const details = page.getByRole("region", { name: "Sample over HTTP" });
  await expect(details).toContainText("reads from outside");
  await details.getByText("Technical details").click();
  await expect(details).toContainText("/api/v1/samples/http-json");
  await look(page, "capabilities");
  const address = new URL(page.url());
  expect([address.searchParams.get("kind"), address.searchParams.get("id")]).toEqual(["http", "http.sample-json"]);
  await page.reload();
  await expect(details).toBeVisible();
  await page.goBack();
  await expect(details).toBeHidden();
  await page.getByRole("searchbox", { name: "Search capabilities" }).fill("nothing like that");
  await expect(page.getByText("No capability is like that")).toBeVisible();
});

test("a command is added by its form, tried before and after, and deleted", async ({ page, segue }) => {
  const program = segue.script("hear", ECHO);
  await page.goto("/capabilities");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("menuitem", { name: "Command" }).click();
  const dialog = page.getByRole("dialog", { name: "Add: Command" });
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog.getByText("Give it a name of at most 120 characters.")).toBeVisible();
  await expect(dialog.getByText("This is needed.")).toBeVisible();
  await dialog.getByRole("textbox", { name: /^Name/ }).fill("Hear");
  await dialog.getByRole("textbox", { name: /^Program/ }).fill("/nowhere/at/all");
  await dialog.getByRole("checkbox", { name: "writes on this machine" }).click();
  await dialog.getByRole("button", { name: "Check", exact: true }).click();
  await expect(dialog.getByRole("alert")).toContainText("executable");
  await dialog.getByRole("textbox", { name: /^Program/ }).fill(program);
  await dialog.getByRole("button", { name: "Check and try" }).click();
  await expect(dialog.getByRole("status")).toContainText("It answers");
  await look(page, "capability-add");
  await dialog.getByRole("button", { name: "Save" }).click();

  const details = page.getByRole("region", { name: "Hear", exact: true });
  await expect(details).toContainText("It was not tested yet.");
  await details.getByRole("button", { name: "Test connection" }).click();
  await expect(details.getByRole("region", { name: "Last connection test" })).toContainText("It answers");
  const saved = (await segue.get("/api/v1/capabilities")).items.find((one: { id: string }) => one.id === "cli-hear");
  expect([saved.effects, saved.status, saved.config.executable]).toEqual([
    ["read_local", "execute_process"],
    "ready",
    program,
  ]);
  await details.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }).click();
  await expect(details).toBeVisible();
  await details.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await expect(details).toBeHidden();
  await expect(page.getByRole("link", { name: "Hear" })).toBeHidden();
});

test("what a flow uses is not deleted, and says so", async ({ page, segue }) => {
  await segue.tool("tool.used", ECHO);
  await segue.flow({
    schema_version: 1,
    id: "uses-it",
    name: "Uses it",
    steps: [{ id: "use", type: "tool.task", params: { title: "Use", capability_id: "tool.used" } }],
  });
  await page.goto("/capabilities?id=tool.used");
  await page.getByRole("region", { name: "tool.used" }).getByRole("button", { name: "Delete" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await expect(page.getByRole("region", { name: "Notifications" })).toContainText("The capability was not deleted");
  await expect(page.getByRole("region", { name: "Notifications" })).toContainText(
    /[^.]\. Bind those steps to something else first\./,
  );
  await expect(page.getByRole("region", { name: "tool.used" })).toBeVisible();
});

test("agents on this machine are discovered and added", async ({ page, segue }) => {
  await page.goto("/capabilities");
  await page.getByRole("button", { name: "Discover" }).click();
  const dialog = page.getByRole("dialog", { name: "Discovered on this machine" });
  await expect(dialog.getByText("opencode 1.0.0")).toBeVisible();
  await look(page, "capabilities-discover");
  await dialog.getByRole("button", { name: "Add opencode" }).click();
  await expect(page.getByRole("region", { name: "opencode" })).toContainText("discovered");
  const saved = (await segue.get("/api/v1/capabilities")).items.map((one: { id: string }) => one.id);
  expect(saved).toContain("agent.opencode");
});

test("an agent of the channel tells what it offers and which sessions it has", async ({ page, segue }) => {
  await segue.task("[[say:A first task.]]", "codex");
  await page.goto("/capabilities");
  await page.getByRole("tab", { name: "Agents", exact: true }).click();
  const codex = page.getByRole("region", { name: "codex", exact: true });
  await codex.getByRole("button", { name: "What it offers" }).click();
  await expect(codex).toContainText("gpt-6-luna");
  await codex.getByRole("button", { name: "Its sessions" }).click();
  await expect(page.getByRole("region", { name: "Sessions of codex" })).toContainText("[[say:A first task.]]");
  await look(page, "agents");
  await codex.getByRole("button", { name: "Hand out a task" }).click();
  const dialog = page.getByRole("dialog", { name: "Hand out a task" });
  await expect(dialog.getByRole("combobox", { name: /^Agent/ })).toHaveText(/codex/);
  await dialog.getByText("More settings").click();
  await dialog.getByRole("combobox", { name: "Model" }).click();
  await page.getByRole("option", { name: "gpt-6-luna" }).click();
  await dialog.getByRole("textbox", { name: /^Prompt/ }).fill("[[echo_settings]]");
  await dialog.getByRole("button", { name: "Start" }).click();
  await expect(page.getByText("Task of codex.")).toBeVisible();
  await expect(page.getByRole("region", { name: "Activity of the agent" })).toContainText("gpt-6-luna");
});

test("agents that are not installed say so, and are found once they are", async ({ page, segue }) => {
  const program = segue.path("bin", "codex-acp");
  renameSync(program, `${program}.away`);
  await page.goto("/capabilities?tab=agents");
  const codex = page.getByRole("region", { name: "codex", exact: true });
  await expect(codex).toContainText("not installed");
  await expect(codex).toContainText("codex-acp");
  await expect(codex.getByRole("button")).toHaveCount(0);
  await expect(page.getByRole("region", { name: "opencode", exact: true })).toContainText(
    segue.path("bin", "opencode"),
  );
  // What can be used stands first, and how to add others is said once.
  await expect(page.getByRole("list", { name: /^Agents/ }).first()).toContainText("opencode");
  await expect(page.getByRole("list", { name: "Agents that are not installed" }).getByRole("listitem")).toHaveCount(1);
  await expect(page.getByRole("region", { name: "Add another agent" })).toContainText("~/.config/segue/agents.toml");
  await look(page, "agents-missing");
  await page.getByRole("region", { name: "opencode", exact: true }).getByRole("button", { name: "Hand out" }).click();
  const dialog = page.getByRole("dialog", { name: "Hand out a task" });
  await dialog.getByRole("combobox", { name: /^Agent/ }).click();
  await expect(page.getByRole("option", { name: "codex" })).toBeDisabled();
  await expect(page.getByRole("option", { name: "codex" })).toContainText("not installed");
  await look(page, "task-dispatch-missing");
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  renameSync(`${program}.away`, program);
  await page.reload();
  await expect(codex.getByRole("button", { name: "What it offers" })).toBeVisible();
});
