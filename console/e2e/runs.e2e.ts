import { createHash } from "node:crypto";
import { look } from "./harness/look.ts";
import { ended, heading, node, notes, settled, tab } from "./harness/run.ts";
import type { Json, Segue } from "./harness/segue.ts";
import { expect, test } from "./harness/test.ts";

const GOLDEN = "observable-golden-loop";

/** A flow of one tool that waits until a file is there. */
async function held(segue: Segue, id = "held"): Promise<void> {
  await segue.tool(
    "hold.tool",
    `cat >/dev/null; until [ -e go ]; do sleep 0.05; done; printf '{"model_output":"done"}'`,
  );
  await segue.flow({
    schema_version: 1,
    id,
    name: id,
    steps: [
      { id: "wait", type: "tool.task", from: null, params: { title: "Wait", capability_id: "hold.tool" } },
      { id: "publish", type: "artifact.task", from: "wait", params: { title: "Publish" } },
    ],
  });
}

test("from the list to a Run, its evidence and its artifact", async ({ page, segue }) => {
  const run = await segue.start(GOLDEN);
  await ended(segue, run);
  await page.goto("/runs");
  await look(page, "runs");
  await page.getByRole("link", { name: GOLDEN }).click();
  await expect(heading(page)).toContainText("Succeeded");
  await look(page, "run");

  await node(page, "Revise the article", "Succeeded").click();
  const panel = page.getByRole("region", { name: "Revise the article" });
  await expect(panel).toContainText("worker_loop, continued");
  await expect(panel).toContainText("E2_REAL_EXECUTOR");
  await expect(panel).toContainText("Revise the draft along the accepted review.");
  await look(page, "run-node");
  await tab(page, "Input").click();
  await expect(panel.getByRole("figure", { name: "Input of Revise the article" })).toContainText("verdict");
  await tab(page, "Result").click();
  await expect(panel.getByRole("region", { name: "Text" })).toContainText("A later turn");
  await tab(page, "Attempts").click();
  await expect(panel.getByRole("table", { name: "Calls of the executor" })).toContainText("Succeeded");
  await tab(page, /^Events/).click();
  await expect(panel.getByRole("listitem")).toHaveCount(5);

  // The place in the page is in its address.
  await page.reload();
  await expect(panel.getByRole("listitem")).toHaveCount(5);
  await panel.getByRole("button", { name: "Close the node" }).click();
  const link = page.getByRole("link", { name: "Open article.md" });
  const content = await page.request.get((await link.getAttribute("href")) ?? "");
  const digest = createHash("sha256")
    .update(await content.body())
    .digest("hex");
  await expect(page.getByRole("region", { name: "The Run", exact: true })).toContainText(digest);
});

test("a Run that is not there leads back to those that are", async ({ page }) => {
  await page.goto("/runs/nope");
  await expect(page.getByRole("main").getByRole("alert")).toContainText("nope");
  await expect(page).toHaveTitle("nope · Segue");
  await page.getByRole("link", { name: "Go to all Runs" }).click();
  await expect(page).toHaveURL(/\/runs$/);
});

test("a Run leads to the flow that it ran, opened by key with its heading in focus", async ({ page, segue }) => {
  const run = await segue.start(GOLDEN);
  await ended(segue, run);
  await page.goto(`/runs/${run}`);
  await page.getByRole("region", { name: "The Run" }).getByRole("link", { name: GOLDEN }).press("Enter");
  await expect(page).toHaveURL(/\/flows\//);
  await expect(page.getByRole("group", { name: /, step draft-article$/ })).toBeVisible();
  await expect(heading(page)).toBeFocused();
});

test("a Run is replayed event by event, by button, slider and key", async ({ page, segue }) => {
  const run = await segue.start(GOLDEN);
  await ended(segue, run);
  await page.goto(`/runs/${run}`);
  await expect(node(page, "Publish the article", "Succeeded")).toBeVisible();
  await page.getByRole("button", { name: "First event" }).click();
  await expect(node(page, "Plan the article", "Pending")).toBeVisible();
  await expect(page).toHaveURL(/at=1$/);
  await page.getByRole("button", { name: "Event 4: plan-article, Executor called" }).click();
  await expect(node(page, "Plan the article", "Running")).toBeVisible();
  await page.keyboard.press("ArrowRight");
  await expect(node(page, "Plan the article", "Accepted")).toBeVisible();
  await page.getByRole("button", { name: "Previous event" }).click();
  await expect(node(page, "Plan the article", "Running")).toBeVisible();
  await page.getByRole("slider", { name: "Event" }).fill("25");
  await expect(node(page, "Publish the article", "Succeeded")).toBeVisible();
  await expect(page.getByText("25 of 26")).toBeVisible();
  await page.reload();
  await expect(page.getByText("25 of 26")).toBeVisible();
  await page.getByRole("button", { name: "Play", exact: true }).click();
  await expect(page.getByRole("button", { name: "Now" })).toHaveAttribute("aria-pressed", "true");

  await tab(page, "Timeline").click();
  await expect(page.getByRole("list", { name: "When each node worked" }).getByRole("button")).toHaveCount(5);
  await look(page, "run-timeline");
  await tab(page, "Full history").click();
  const history = page.getByRole("list", { name: "All events of the Run" });
  await expect(history.getByRole("listitem").first()).toContainText("Run created");
  await page.getByRole("searchbox", { name: "Filter" }).fill("artifact made");
  await expect(history.getByRole("listitem")).toHaveCount(1);
  await history.getByRole("button", { name: "Payload of event 24" }).click();
  await expect(history).toContainText("sha256");
  await look(page, "run-history");
});

test("a long Run shows every state from far away, and its strip follows the moment", async ({ page, segue }) => {
  await segue.tool("one.tool", `cat >/dev/null; printf '{"model_output":"done"}'`);
  await segue.tool("bad.tool", "cat >/dev/null; exit 3");
  const step = (id: string, from: string | null, tool = "one.tool"): Json => ({
    id,
    type: "tool.task",
    from,
    params: { title: id, capability_id: tool },
  });
  const steps = Array.from({ length: 30 }, (_, at) => step(`step-${at}`, "first"));
  await segue.flow({
    schema_version: 2,
    id: "long",
    name: "long",
    steps: [step("first", null), ...steps, step("broken", "step-29", "bad.tool")],
  });
  const run = await segue.start("long");
  await ended(segue, run);
  await page.goto(`/runs/${run}`);
  const graph = page.getByRole("region", { name: "Graph of the Run" });
  await expect(node(page, "broken", "Failed")).toBeVisible();
  await expect(graph).toHaveAttribute("data-afar", "true");
  await look(page, "run-far");

  const { event_count: last } = await segue.get(`/api/v1/runs/${run}`);
  const event = (at: number) => page.getByRole("button", { name: new RegExp(`^Event ${at}:`) });
  await expect(event(last)).toBeInViewport();
  await page.getByRole("button", { name: "First event" }).click();
  await expect(event(1)).toBeInViewport();
  await page.getByRole("button", { name: "Next event" }).click();
  await expect(event(2)).toHaveAttribute("aria-current", "step");
  await expect(event(2)).toBeInViewport();
  await page.getByRole("slider", { name: "Event" }).fill("70");
  await expect(event(70)).toBeInViewport();
  await look(page, "run-long");
});

test("a Run under way is seen to move, and a reload in its middle loses nothing", async ({ page, segue }) => {
  await held(segue);
  const run = await segue.start("held");
  await page.goto(`/runs/${run}`);
  await expect(node(page, "Wait", "Running")).toBeVisible();
  await page.reload();
  await expect(node(page, "Wait", "Running")).toBeVisible();
  segue.open("go");
  await expect(node(page, "Publish", "Succeeded")).toBeVisible();
  await expect(heading(page)).toContainText("Succeeded");
  await expect(page.getByRole("link", { name: "Open result.md" })).toBeVisible();
});

test("a lost connection is told, and so is its return, with what happened meanwhile", async ({ page, segue }) => {
  await held(segue);
  const run = await segue.start("held");
  await page.goto(`/runs/${run}`);
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  await expect(node(page, "Wait", "Running")).toBeVisible();
  await segue.kill();
  await expect(page.getByText("Connection lost").first()).toBeVisible();
  await look(page, "connection-lost");
  segue.open("go");
  await segue.serve();
  await expect(page.getByText("The connection is back.")).toBeVisible();
  await expect(heading(page)).toContainText("Succeeded");
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
});

test("what is stopped in one window is seen in another, with its receipt", async ({ page, context, segue }) => {
  await held(segue);
  const run = await segue.start("held");
  const other = await context.newPage();
  await page.goto(`/runs/${run}`);
  await other.goto("/runs");
  await expect(other.getByRole("row", { name: /held/ })).toContainText("Running");
  await expect(node(page, "Wait", "Running")).toBeVisible();
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  const question = page.getByRole("alertdialog", { name: "Stop this Run?" });
  await question.getByRole("button", { name: "Keep it running" }).click();
  await expect(heading(page)).toContainText("Running");
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await question.getByRole("button", { name: "Stop the Run" }).click();
  await expect(heading(page)).toContainText("Stopped");
  await expect(node(page, "Wait", "Stopped")).toBeVisible();
  await expect(page.getByRole("region", { name: "Stop receipt" })).toContainText("wait");
  await expect(other.getByRole("row", { name: /held/ })).toContainText("Stopped");
});

test("a rejected evaluation says why, and is forked from its producer", async ({ page, segue }) => {
  await notes(segue);
  const run = await segue.start("gated-note", { note: "OPEN: ask legal" });
  await ended(segue, run);
  await page.goto(`/runs/${run}`);
  await expect(node(page, "Gate", "Rejected")).toBeVisible();
  await expect(page.getByRole("region", { name: "Why" })).toContainText("something is still to be done");
  await look(page, "run-rejected");
  await page.getByRole("button", { name: "Fork from the producer, Draft" }).click();
  const form = page.getByRole("dialog", { name: "Run again from Draft" });
  await expect(form.getByRole("listitem")).toHaveText(["Draft", "Gate", "Publish"]);
  await expect(form.getByRole("button", { name: "Fork" })).toBeDisabled();
  await look(page, "run-fork");
  await form.getByRole("checkbox", { name: "I know that these nodes run again" }).click();
  await form.getByRole("button", { name: "Fork" }).click();
  await expect(page).not.toHaveURL(new RegExp(run));
  await expect(page.getByRole("link", { name: run })).toBeVisible();
  await expect(node(page, "Gate", "Rejected")).toBeVisible();
});

test("a person's node is answered after the server was restarted", async ({ page, segue }) => {
  await notes(segue);
  const run = await segue.start("approved-note", { note: "Ship on Friday" });
  await settled(segue, run, ({ waiting }) => waiting);
  await segue.restart();
  await page.goto(`/runs/${run}`);
  await expect(heading(page)).toContainText("Waiting");
  await page.goto("/runs?status=waiting");
  await page.getByRole("link", { name: "approved-note" }).click();
  await page.getByRole("list", { name: "Your answer is asked for" }).getByRole("button").click();
  const question = page.getByRole("region", { name: "Your answer is asked for" });
  await expect(question).toContainText("Is this note good to go?");
  await expect(question).toContainText("Ship on Friday");
  await look(page, "run-answer");
  await question.getByRole("textbox", { name: "Answer as" }).fill("Ada");
  await question.getByRole("button", { name: "Approve" }).click();
  await expect(heading(page)).toContainText("Succeeded");
  await expect(node(page, "Ask", "Succeeded")).toBeVisible();
  await expect(page.getByRole("region", { name: "Ask", exact: true })).toContainText("approve by Ada");
});

test("an answer's form is checked against its schema before it is sent", async ({ page, segue }) => {
  const form: Json = {
    type: "object",
    properties: {
      reason: { type: "string", title: "Reason", minLength: 3 },
      urgent: { type: "boolean", title: "Urgent" },
    },
    required: ["reason"],
  };
  await segue.flow({
    schema_version: 2,
    id: "asked",
    name: "Asked",
    steps: [
      {
        id: "ask",
        type: "human.task",
        prompt: "Why?",
        params: { title: "Ask", form, options: [{ id: "done", label: "Send it" }] },
      },
    ],
  });
  const run = await segue.start("asked");
  await settled(segue, run, ({ waiting }) => waiting);
  await page.goto(`/runs/${run}?node=ask`);
  const question = page.getByRole("region", { name: "Your answer is asked for" });
  // The form's code is loaded when it is first shown; before that there is nothing to check.
  await expect(question.getByRole("textbox", { name: "Reason" })).toBeVisible();
  await question.getByRole("button", { name: "Send it" }).click();
  await expect(question).toContainText('required property "reason"');
  expect((await segue.get(`/api/v1/runs/${run}`)).waiting).toBe(true);
  await question.getByRole("textbox", { name: "Reason" }).fill("Because");
  await question.getByRole("checkbox", { name: "Urgent" }).check();
  await look(page, "run-form");
  await question.getByRole("button", { name: "Send it" }).click();
  await expect(heading(page)).toContainText("Succeeded");
  const detail = await segue.get(`/api/v1/runs/${run}/nodes/ask/detail`);
  expect(detail.answer).toMatchObject({ option: "done", actor: null, form: { reason: "Because", urgent: true } });
});

test("two Runs are compared, first where they part", async ({ page, segue }) => {
  const [left, right] = [await segue.start(GOLDEN), await segue.start(GOLDEN, { report_focus: "Otters" })];
  for (const run of [left, right]) await ended(segue, run);
  await page.goto(`/compare?a=${left}&b=${right}`);
  await expect(page.getByText("They part first at plan-article")).toBeVisible();
  await expect(page.getByRole("region", { name: "First divergence: plan-article" })).toContainText("input");
  await page.getByRole("button", { name: "Show inputs and results side by side" }).click();
  await expect(page.getByRole("figure", { name: "Input of the right run" })).toContainText("Otters");
  await look(page, "compare");
  const same = await segue.start(GOLDEN);
  await ended(segue, same);
  await page.getByRole("combobox", { name: "Right Run" }).click();
  await page.getByRole("option", { name: same.slice(0, 8) }).click();
  await expect(page.getByText("The Runs are equivalent")).toBeVisible();
  await expect(page).toHaveURL(new RegExp(same));
});

test("stability tells no Run, one Run and many apart", async ({ page, segue }) => {
  await page.goto(`/stability/nothing/${"0".repeat(64)}`);
  await expect(page.getByText(/No Run counts yet|Stability cannot be told/)).toBeVisible();
  const first = await segue.start(GOLDEN);
  await ended(segue, first);
  await page.goto(`/runs/${first}`);
  await page.getByRole("link", { name: "Stability" }).click();
  await expect(page.getByText("One Run counts.")).toBeVisible();
  const second = await segue.start(GOLDEN);
  await ended(segue, second);
  await page.reload();
  await expect(page.getByText("2 Runs count.")).toBeVisible();
  await expect(page.getByRole("row", { name: /plan-article/ })).toContainText("Stable");
  await expect(
    page.getByRole("figure", { name: "Successes and failures by node" }).getByText("plan-article"),
  ).toBeVisible();
  await expect(page.getByRole("main")).not.toContainText("hand-offs");
  await look(page, "stability");

  // It is that of what the Run executed, and not of the flow as it is now.
  const saved = (await segue.get("/api/flows"))[0];
  saved.flow.steps[0].prompt = "Plan it otherwise";
  await segue.api("PUT", `/api/flows/${saved.flow_id}`, { flow: saved.flow });
  await page.goto(`/runs/${first}`);
  await page.getByRole("link", { name: "Stability" }).click();
  await expect(page.getByText("2 Runs count.")).toBeVisible();
});

test("Runs are searched by state and text, and the address keeps it", async ({ page, segue }) => {
  await notes(segue);
  const good = await segue.start(GOLDEN);
  const bad = await segue.start("gated-note", { note: "OPEN: ask legal" });
  for (const run of [good, bad]) await ended(segue, run);
  await page.goto("/runs");
  const rows = page.getByRole("table", { name: "Runs, newest first" }).getByRole("row");
  await expect(rows).toHaveCount(3);
  await page.getByRole("combobox", { name: "State" }).click();
  await page.getByRole("option", { name: "Failed" }).click();
  await expect(rows).toHaveCount(2);
  await expect(page).toHaveURL(/status=failed/);
  await page.getByRole("searchbox", { name: "Search" }).fill("no such Run");
  await expect(page.getByText("No Run is like that")).toBeVisible();
  await page.getByRole("button", { name: "Show all Runs" }).click();
  await expect(rows).toHaveCount(3);
});

test("a Run is replayed on the flow as it is saved now, and says what it takes over", async ({ page, segue }) => {
  await segue.tool("say.tool", `cat >/dev/null; printf '{"model_output":"done"}'`);
  const step = (id: string, from: string | null, title: string) => ({
    id,
    type: "tool.task",
    from,
    params: { title, capability_id: "say.tool" },
  });
  const document = (title: string) => ({
    schema_version: 2,
    id: "changing",
    name: "Changing",
    steps: [step("first", null, "First"), { ...step("second", "first", "Second"), prompt: title }],
  });
  const local = await segue.flow(document("Say it"));
  const run = await segue.start("changing");
  await ended(segue, run);
  await segue.api("PUT", `/api/flows/${local}`, { flow: document("Say it otherwise") });
  await page.goto(`/runs/${run}`);
  await page.getByRole("button", { name: "Replay on the saved flow" }).click();
  const plan = page.getByRole("dialog", { name: "Replay on the flow as it is saved now" });
  await expect(plan.getByRole("listitem").filter({ hasText: "First" })).toContainText("Reused");
  await expect(plan.getByRole("listitem").filter({ hasText: "Second" })).toContainText("Pending");
  await look(page, "run-replay");
  await plan.getByRole("button", { name: "Replay" }).click();
  await expect(page).not.toHaveURL(new RegExp(run));
  await expect(node(page, "First", "Reused")).toBeVisible();
  await expect(node(page, "Second", "Succeeded")).toBeVisible();
});
