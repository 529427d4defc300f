import { canRun, chain, choose, DRAFT, node, saved, step } from "./harness/flow.ts";
import { look } from "./harness/look.ts";
import { expect, test } from "./harness/test.ts";

test("what a person is asked is written beside the canvas", async ({ page, segue }) => {
  await segue.tool("note.draft", DRAFT);
  const id = await segue.flow(chain("asked"));
  await page.goto(`/flows/${id}`);
  await node(page, "draft").click();
  const panel = step(page);
  await panel.getByRole("button", { name: "Insert after" }).click();
  await page.getByRole("menuitem", { name: "Person" }).click();
  await expect(panel.getByRole("textbox", { name: "Title" })).toBeFocused();
  await page.keyboard.type("Ask the editor");
  await panel.getByRole("textbox", { name: "Question" }).fill("Shall it be printed?");
  const answers = panel.getByRole("group", { name: "Answers" });
  for (const [at, option, label] of [
    [0, "print", "Print it"],
    [1, "hold", "Not yet"],
  ] as const) {
    await answers.getByRole("button", { name: "Add an answer" }).click();
    await answers.getByRole("textbox", { name: "Id" }).nth(at).fill(option);
    await answers.getByRole("textbox", { name: "Label" }).nth(at).fill(label);
  }
  await answers.getByRole("button", { name: "Add an answer" }).click();
  await answers.getByRole("button", { name: "Remove the answer answer-3" }).click();
  const form = panel.getByRole("textbox", { name: "Form" });
  await form.fill("[]");
  await expect(form).toHaveAccessibleDescription(/JSON object/);
  await form.fill('{"type": "object", "properties": {"reason": {"type": "string"}}}');
  await panel.getByRole("textbox", { name: "Expires after seconds" }).fill("3600");
  await choose(page, "Then the answer is", "hold");
  await expect(panel).toContainText("asks a person");
  await look(page, "step-person");

  // The step behind it waits for the first answer, whatever it is called by now.
  await node(page, "publish").click();
  await expect(panel.getByRole("textbox", { name: "Only if" })).toHaveValue(
    'input["ask-the-editor"].option == "print"',
  );
  await canRun(page);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByText("Saved", { exact: true })).toBeVisible();
  expect((await saved(segue))[0]?.flow.steps).toMatchObject([
    { id: "draft" },
    {
      id: "ask-the-editor",
      type: "human.task",
      from: "draft",
      prompt: "Shall it be printed?",
      params: {
        title: "Ask the editor",
        options: [
          { id: "print", label: "Print it" },
          { id: "hold", label: "Not yet" },
        ],
        form: { type: "object", properties: { reason: { type: "string" } } },
        expires_seconds: 3600,
        on_expiry: "hold",
      },
    },
    { id: "publish", from: ["draft", "ask-the-editor"], when: 'input["ask-the-editor"].option == "print"' },
  ]);
});

test("another flow is a step, given what it asks for", async ({ page, segue }) => {
  await segue.tool("note.draft", DRAFT);
  await segue.flow(
    chain("inner", {
      inputs: { subject: { type: "string", required: true }, tone: { type: "string", default: "dry" } },
    }),
  );
  const id = await segue.flow(chain("outer", { inputs: { about: { type: "string", default: "Ice" } } }));
  await page.goto(`/flows/${id}`);
  await node(page, "draft").click();
  const panel = step(page);
  await panel.getByRole("button", { name: "Insert after" }).click();
  await page.getByRole("menuitem", { name: "Subflow" }).click();
  await expect(page.getByText("Cannot be run").first()).toBeVisible();
  await choose(page, "Flow", /The inner/);
  await panel.getByRole("textbox", { name: "subject" }).fill("flow_input.");
  await expect(panel.getByRole("textbox", { name: "subject" })).toHaveAccessibleDescription(/CEL|expression/i);
  await expect(page.getByText("Cannot be run").first()).toBeVisible();
  await panel.getByRole("textbox", { name: "subject" }).fill("flow_input.about");
  await panel.getByRole("textbox", { name: "tone" }).fill('"warm"');
  await canRun(page);
  await look(page, "step-subflow");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByText("Saved", { exact: true })).toBeVisible();
  expect((await saved(segue))[0]?.flow).toMatchObject({
    schema_version: 2,
    steps: [
      { id: "draft" },
      {
        id: "subflow",
        type: "flow.task",
        from: "draft",
        params: { flow_id: "inner", inputs: { subject: "flow_input.about", tone: '"warm"' } },
      },
      { id: "publish", from: "subflow" },
    ],
  });
});

test("agents go on in one conversation, and do a step for each item of a list", async ({ page, segue }) => {
  await segue.post("/api/v1/capabilities", {
    kind: "agent_cli",
    id: "note.agent",
    name: "note.agent",
    effects: ["execute_process"],
    config: {
      executable: segue.script("agent", "cat >/dev/null"),
      input_mode: "session_json",
      output_format: "session_json",
      session_protocol: "symphlo.agent-session.v1",
    },
  });
  await page.goto("/flows/new");
  await page.getByRole("button", { name: "Begin with nothing" }).click();
  await page.getByLabel("Portable id").fill("one-conversation");
  const panel = step(page);
  for (const title of ["First", "Second"]) {
    await page.getByRole("button", { name: "Add Agent" }).click();
    await expect(panel.getByRole("textbox", { name: "Title" })).toBeFocused();
    await page.keyboard.type(title);
    await panel.getByRole("textbox", { name: "Instruction" }).fill(`The ${title.toLowerCase()} turn`);
    await choose(page, "Capability", /note\.agent/);
    await panel.getByRole("textbox", { name: "Session group" }).fill("writer");
  }
  await canRun(page);
  await expect(node(page, "first").getByLabel("Shares a session")).toBeVisible();
  await page.getByRole("button", { name: "Add Agent" }).click();
  await panel.getByRole("switch", { name: /Run once for each item/ }).click();
  await panel.getByRole("textbox", { name: "For each item of" }).fill("nodes.first.parts");
  await panel.getByRole("textbox", { name: "Items at once" }).fill("3");
  await canRun(page);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page).toHaveURL(/\/flows\/task_[0-9a-f]{12}/);
  expect((await saved(segue))[0]?.flow).toMatchObject({
    schema_version: 2,
    steps: [
      { id: "first", from: null, prompt: "The first turn", session_group: "writer", params: { title: "First" } },
      { id: "second", from: "first", session_group: "writer", params: { title: "Second" } },
      { id: "agent", from: "second", for_each: { items: "nodes.first.parts", max_parallel: 3 } },
    ],
  });
});

test("a document that is too large for a request says so, and where it can be saved", async ({ page }) => {
  const steps = Array.from({ length: 120 }, (_, index) => ({
    id: `step-${index}`,
    type: "tool.task",
    from: index === 0 ? null : `step-${index - 1}`,
    prompt: "Go on. ".repeat(80),
    params: { capability_id: "note.draft" },
  }));
  const document = { schema_version: 2, id: "too-large", name: "Too large", steps };
  await page.goto("/flows/new");
  const buffer = Buffer.from(JSON.stringify(document));
  await page.getByLabel("Choose a file").setInputFiles({ name: "large.json", mimeType: "application/json", buffer });
  await expect(page.getByText(/^Was not checked: The document has [\d,]+ bytes/)).toContainText("segue flow validate");
  await look(page, "flow-too-large");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByText("The flow was not saved").first()).toBeVisible();
  await expect(page.getByText(/^The document has .*at most\. .*segue flow save FILE/).first()).toBeVisible();
});
