import type { Page } from "@playwright/test";
import { canRun, chain, choose, DRAFT, field, node, saved, step, succeeded } from "./harness/flow.ts";
import { look } from "./harness/look.ts";
import type { Json } from "./harness/segue.ts";
import { expect, test } from "./harness/test.ts";

/** Types a document over the one that is there. */
async function rewrite(page: Page, document: string): Promise<void> {
  const text = page.getByRole("textbox", { name: "Document of the flow" });
  await text.press("Control+a");
  await text.press("Delete");
  await page.keyboard.insertText(document);
}

test("on a first visit the golden flow is found, run, and seen to succeed", async ({ page }) => {
  await page.goto("/");
  await page.getByRole("navigation").getByRole("link", { name: "Flows" }).click();
  const library = page.getByRole("table", { name: "Saved flows" });
  await library.getByRole("link", { name: "Observable golden loop" }).click();
  await canRun(page);
  await expect(node(page, "draft-article")).toBeVisible();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(field(page, "report_focus")).toHaveValue(/hand-offs/);
  await page.getByRole("button", { name: "Start the Run" }).click();
  await succeeded(page);
});

test("a flow is drawn from nothing, saved and run", async ({ page, segue }) => {
  await segue.tool("note.draft", DRAFT);
  await page.goto("/flows/new");
  await look(page, "flows-new");
  await page.getByRole("button", { name: "Begin with nothing" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Drawn here");
  await expect(page.getByLabel("Portable id")).toHaveValue("drawn-here");
  await expect(page.getByText("Add a first step, and it can be run")).toBeVisible();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByText("Add a first step: a flow without any cannot be saved.")).toBeVisible();
  await look(page, "flow-empty");

  await page.getByRole("button", { name: "Add Tool" }).click();
  await expect(node(page, "tool")).toBeVisible();
  await expect(page.getByText("Cannot be run: Step “tool” needs a capability that does it")).toBeVisible();
  await look(page, "step-unbound");
  await choose(page, "Capability", /note\.draft/);
  await page.getByRole("button", { name: "Add Publish" }).click();
  await expect(page.getByRole("button", { name: "Do not receive from tool" })).toBeVisible();
  await expect(step(page)).toContainText("publishes into the Run's record");
  await expect(step(page)).not.toContainText("computes only");
  await canRun(page);

  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page).toHaveURL(/\/flows\/task_[0-9a-f]{12}/);
  await expect(page.getByText("Saved", { exact: true })).toBeVisible();
  const [flow] = await saved(segue);
  expect(flow?.flow).toMatchObject({
    schema_version: 1,
    id: "drawn-here",
    name: "Drawn here",
    steps: [
      { id: "tool", type: "tool.task", from: null, params: { capability_id: "note.draft" } },
      { id: "publish", type: "artifact.task", from: "tool" },
    ],
  });

  await page.getByRole("button", { name: "Run", exact: true }).click();
  await page.getByRole("button", { name: "Start the Run" }).click();
  await succeeded(page);
  await expect(page.getByRole("heading", { level: 1 })).toContainText("Drawn here");
});

test("what is wrong with a value is said before anything is sent", async ({ page, segue }) => {
  await segue.tool("note.draft", DRAFT);
  const inputs = {
    title: { type: "string", required: true, description: "What it is about" },
    count: { type: "integer", default: 3 },
    ratio: { type: "number" },
    urgent: { type: "boolean", default: false },
    options: { type: "object" },
    points: { type: "array", required: true },
  };
  const id = await segue.flow(chain("typed", { inputs }));
  const sent: Json[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/runs")) sent.push(request.postDataJSON());
  });
  await page.goto(`/flows/${id}?view=run`);
  const start = page.getByRole("button", { name: "Start the Run" });
  await start.click();
  await expect(page.getByText("2 values are not usable. Nothing was sent.")).toBeVisible();
  await expect(field(page, "title")).toHaveAccessibleDescription(/A value is required/);
  await field(page, "title").fill("A note");
  await field(page, "count").fill("1.5");
  await expect(page.getByText("This is no whole number.")).toBeVisible();
  await field(page, "ratio").fill("1,5");
  await expect(page.getByText("This is no number.")).toBeVisible();
  await field(page, "options").fill("[1]");
  await expect(page.getByText("This must be a JSON object.")).toBeVisible();
  await field(page, "points").fill('["a",');
  await expect(page.getByText(/^This is no JSON/)).toBeVisible();
  await look(page, "flow-run-problems");
  await start.click();
  expect(sent).toEqual([]);

  // What was typed survives closing the form.
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(field(page, "title")).toHaveValue("A note");
  await field(page, "count").fill("4");
  await field(page, "ratio").fill("1.50");
  await field(page, "options").fill('{"deep": true}');
  await field(page, "points").fill('["a", "b"]');
  await page.getByRole("checkbox", { name: "urgent" }).check();
  await start.click();
  await succeeded(page);
  expect(sent).toEqual([
    {
      executor: "deterministic",
      inputs: { title: "A note", count: 4, ratio: 1.5, urgent: true, options: { deep: true }, points: ["a", "b"] },
    },
  ]);
});

test("a second flow gets an id of its own, or becomes a version of the first", async ({ page, segue }) => {
  await segue.tool("note.draft", DRAFT);
  const first = await segue.flow(chain("taken"));
  const id = page.getByLabel("Portable id");
  await page.goto("/flows/new?template=blank");
  await page.getByLabel("Name", { exact: true }).fill("Taken");
  await expect(id).toHaveValue("taken-2");
  await id.fill("taken");
  await expect(page.getByText(/^The saved flow “.*” has this id already\.$/)).toBeVisible();
  await page.getByRole("button", { name: "Add Tool" }).click();
  await choose(page, "Capability", /note\.draft/);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const asked = page.getByRole("dialog", { name: "A saved flow has the id “taken”" });
  await expect(asked.getByRole("button", { name: "Save under the id “taken-2”" })).toBeVisible();
  await look(page, "flow-id-taken");
  await asked.getByRole("button", { name: "Do not save" }).click();
  const ids = async () =>
    (await saved(segue)).flatMap(({ flow: { id } }) => (id.startsWith("taken") ? [id] : [])).sort();
  expect(await ids()).toEqual(["taken"]);

  await page.getByRole("button", { name: "Save", exact: true }).click();
  await asked.getByRole("button", { name: /^Save as a new version of/ }).click();
  await expect(page).toHaveURL(new RegExp(`/flows/${first}`));
  await expect(page.getByText("Saved", { exact: true })).toBeVisible();
  expect(await ids()).toEqual(["taken"]);
  await expect(page.getByLabel("Name", { exact: true })).toHaveValue("Taken");

  await page.goto("/flows/new");
  await page.getByRole("button", { name: "Begin with nothing" }).click();
  await id.fill("taken");
  await page.getByRole("button", { name: "Add Tool" }).click();
  await choose(page, "Capability", /note\.draft/);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await asked.getByRole("button", { name: "Save under the id “taken-2”" }).click();
  await expect(page).toHaveURL(/\/flows\/task_/);
  expect(await ids()).toEqual(["taken", "taken-2"]);
});

test("what a Run would write is asked for once, and can be refused", async ({ page, segue }) => {
  await segue.tool("note.draft", `${DRAFT}; touch written`, ["execute_process", "write_local"]);
  const id = await segue.flow(chain("writing"));
  await page.goto(`/flows/${id}?view=run`);
  await page.getByRole("button", { name: "What would it do?" }).click();
  await expect(page.getByText("It writes. You are asked before anything is started.")).toBeVisible();
  const told = page.getByRole("list", { name: "Who does what" });
  await expect(told.getByRole("listitem").filter({ hasText: "Publish" })).toHaveText(
    /^publishes into the Run's record/,
  );
  await look(page, "flow-preview");
  await page.getByRole("button", { name: "Start the Run" }).click();
  const asked = page.getByRole("dialog", { name: /This Run writes/ });
  await expect(asked.getByRole("row", { name: /Draft/ })).toContainText("writes on this machine");
  await look(page, "flow-authorization");
  await asked.getByRole("button", { name: "Cancel" }).click();
  await expect(asked).toBeHidden();
  expect((await segue.get("/api/v1/runs")).items).toEqual([]);

  await page.getByRole("button", { name: "Start the Run" }).click();
  await asked.getByRole("button", { name: "Authorize and start" }).click();
  await succeeded(page);
  expect((await segue.get("/api/v1/runs")).items).toHaveLength(1);
});

test("the canvas and the text are one document", async ({ page, segue }) => {
  await segue.tool("note.draft", DRAFT);
  const id = await segue.flow(chain("in-step"));
  await page.goto(`/flows/${id}?view=document`);
  const text = page.getByRole("textbox", { name: "Document of the flow" });
  await expect(text).toContainText("id: in-step");
  await look(page, "flow-document");
  await rewrite(
    page,
    "schema_version: 1\nid: in-step\nname: In step\nsteps:\n  - id: only # kept\n    type: artifact.task\n",
  );
  await page.getByRole("tab", { name: "Canvas" }).click();
  await expect(node(page, "only")).toBeVisible();
  await expect(node(page, "draft")).toBeHidden();
  await node(page, "only").click();
  await step(page).getByRole("textbox", { name: "Title" }).fill("The only one");
  await page.getByRole("tab", { name: "Document" }).click();
  await expect(text).toContainText("title: The only one");
  await expect(text).toContainText("# kept");

  // What cannot be read has its place, changes nothing, and is not saved.
  await rewrite(page, "steps: [");
  await expect(page.getByText(/^Line \d+, column \d+: /)).toBeVisible();
  await page.getByRole("tab", { name: "Canvas" }).click();
  await expect(page.getByText("The text of the document cannot be read.")).toBeVisible();
  await expect(node(page, "only")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByText("The text of the document cannot be read.")).toBeHidden();
  expect((await saved(segue))[0]?.flow.steps).toHaveLength(2);
});

test("what the server finds wrong stands at the step and at the field", async ({ page, segue }) => {
  await segue.tool("note.draft", DRAFT);
  const id = await segue.flow(chain("checked"));
  await page.goto(`/flows/${id}`);
  await node(page, "draft").click();
  await choose(page, "Capability", "None");
  await expect(page.getByText(/Cannot be run: Step “draft”/)).toBeVisible();
  await expect(step(page).getByRole("combobox", { name: "Capability" })).toHaveAccessibleDescription(/capability/);
  await page.getByRole("tab", { name: "Plan" }).click();
  await expect(page.getByRole("row", { name: /Draft/ })).toContainText(/capability/);
  await look(page, "flow-plan");
  await page.getByRole("button", { name: "Show" }).click();
  await expect(step(page).getByRole("heading", { name: "Draft" })).toBeVisible();
  await look(page, "flow-canvas");
});

test("two windows do not undo each other's work", async ({ page, segue, context }) => {
  await segue.tool("note.draft", DRAFT);
  const id = await segue.flow(chain("shared"));
  await page.goto(`/flows/${id}`);
  await canRun(page);
  const other = await context.newPage();
  await other.goto(`/flows/${id}`);
  await other.getByLabel("Name", { exact: true }).fill("Theirs");
  await other.getByRole("button", { name: "Save", exact: true }).click();
  await expect(other.getByText("Saved", { exact: true })).toBeVisible();
  await other.close();

  await page.getByLabel("Name", { exact: true }).fill("Mine");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const conflict = page.getByRole("dialog", { name: "Somebody else saved this flow" });
  await expect(conflict).toBeVisible();
  await look(page, "flow-conflict");
  expect((await segue.get(`/api/flows/${id}`)).name).toBe("Theirs");
  await conflict.getByRole("button", { name: "Save mine as a copy" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toContainText("Mine (copy)");
  const names = ((await segue.get("/api/flows")) as { name: string }[]).map(({ name }) => name);
  expect(names).toEqual(["Mine (copy)", "Theirs", "Observable golden loop"]);
});

test("changes are not lost by leaving", async ({ page, segue }) => {
  await segue.tool("note.draft", DRAFT);
  const id = await segue.flow(chain("guarded"));
  await page.goto(`/flows/${id}`);
  await page.getByLabel("Name", { exact: true }).fill("Not yet saved");
  await page.getByRole("navigation").getByRole("link", { name: "Runs" }).click();
  const asked = page.getByRole("alertdialog", { name: "Leave without saving?" });
  await asked.getByRole("button", { name: "Cancel" }).click();
  await expect(page.getByLabel("Name", { exact: true })).toHaveValue("Not yet saved");
  await page.getByRole("navigation").getByRole("link", { name: "Runs" }).click();
  await asked.getByRole("button", { name: "Leave" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Runs" })).toBeVisible();
});

test("flows are found, copied, exported and deleted in the library", async ({ page, segue }) => {
  await segue.tool("note.draft", DRAFT);
  await segue.flow(chain("library"));
  await page.goto("/flows");
  await look(page, "flows");
  await page.getByRole("searchbox", { name: "Search flows" }).fill("nothing like this");
  await expect(page.getByText("No flow matches “nothing like this”")).toBeVisible();
  await page.getByRole("searchbox", { name: "Search flows" }).fill("the library");
  await expect(page.getByRole("link", { name: "Observable golden loop" })).toBeHidden();
  const act = async (action: string, of = "The library") => {
    await page.getByRole("button", { name: `Actions for ${of}`, exact: true }).click();
    await page.getByRole("menuitem", { name: action }).click();
  };
  await act("Duplicate");
  await expect(page.getByRole("link", { name: "The library (copy)" })).toBeVisible();
  const download = page.waitForEvent("download");
  await act("Export as YAML");
  expect((await download).suggestedFilename()).toBe("library.yaml");
  await act("Delete", "The library (copy)");
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await expect(page.getByRole("link", { name: "The library (copy)" })).toBeHidden();
  const ids = async () => (await saved(segue)).map(({ flow }) => flow.id);
  await expect.poll(ids).toEqual(["library", "observable-golden-loop"]);
});

test("a flow begins with a template, or with a file", async ({ page, segue }) => {
  await segue.tool("note.draft", DRAFT);
  await page.goto("/flows/new");
  await page.getByLabel("What is it about?").fill("Why hand-offs are written down");
  await page.getByRole("button", { name: /Begin with Compact/ }).click();
  await canRun(page);
  await page.getByRole("button", { name: "Save and run" }).click();
  await expect(field(page, "What it is about")).toHaveValue("Why hand-offs are written down");
  await page.getByRole("button", { name: "Start the Run" }).click();
  await succeeded(page);

  await page.goto("/flows");
  await page.getByRole("link", { name: "From a file" }).click();
  const file = (name: string, text: string) => ({ name, mimeType: "text/plain", buffer: Buffer.from(text) });
  await page.getByLabel("Choose a file").setInputFiles(file("broken.yaml", "steps: ["));
  await expect(page.getByRole("alert")).toContainText("The file was not read Line 1");
  await page.getByLabel("Choose a file").setInputFiles(file("flow.json", JSON.stringify(chain("from-file"))));
  await canRun(page);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page).toHaveURL(/\/flows\/task_[0-9a-f]{12}/);
  expect((await saved(segue))[0]?.flow.id).toBe("from-file");
});

test("what changed between saved versions is shown, and an earlier one comes back", async ({ page, segue }) => {
  await segue.tool("note.draft", DRAFT);
  const id = await segue.flow(chain("versioned"));
  await page.goto(`/flows/${id}`);
  await node(page, "draft").click();
  await step(page).getByRole("textbox", { name: "Instruction" }).fill("Keep it short");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByText("Saved", { exact: true })).toBeVisible();

  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Versions" }).click();
  const changed = page.getByRole("list", { name: "Changes" }).getByRole("listitem");
  await expect(changed).toHaveCount(1);
  await expect(changed).toContainText("draft");
  await expect(changed.getByRole("row", { name: /prompt/ })).toHaveText(/nothing\s*Keep it short$/);
  await look(page, "flow-versions");

  await page.getByRole("button", { name: /^Restore version/ }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Restore" }).click();
  await expect(page.getByRole("table", { name: "Saved versions" }).getByRole("row")).toHaveCount(4);
  expect((await segue.get(`/api/flows/${id}`)).flow.steps[0]).not.toHaveProperty("prompt");
});
