import type { Page } from "@playwright/test";
import { canRun, chain, choose, DRAFT, drag, node, saved, step, succeeded } from "./harness/flow.ts";
import { look } from "./harness/look.ts";
import type { Json } from "./harness/segue.ts";
import { expect, test } from "./harness/test.ts";

for (const width of [1280, 400]) {
  test(`a flow that is first seen from far away has its edges between its steps, ${width} wide`, async ({ page }) => {
    await page.setViewportSize({ width, height: 900 });
    await page.goto("/flows/task_canonical_writing");
    await expect(node(page, "draft-article")).toBeVisible();
    await expect(page.locator(".react-flow__edge-path").first()).toBeAttached();
    const stray = () =>
      page.evaluate(() => {
        const boxes = (selector: string) =>
          [...document.querySelectorAll(selector)].map((one) => one.getBoundingClientRect());
        const steps = boxes(".react-flow__node");
        // A step that hangs behind another is reached by a curve that swings out a little.
        const room = Math.max(...steps.map(({ height }) => height));
        const left = Math.min(...steps.map((box) => box.left)) - room;
        const right = Math.max(...steps.map((box) => box.right)) + room;
        const top = Math.min(...steps.map((box) => box.top)) - room;
        const bottom = Math.max(...steps.map((box) => box.bottom)) + room;
        const isOut = (box: DOMRect) =>
          box.left < left || box.right > right || box.top < top || box.bottom > bottom || box.width < 1;
        return boxes(".react-flow__edge-path").filter(isOut).length;
      });
    await expect.poll(stray).toBe(0);
    await expect(node(page, "draft-article").getByText("Draft", { exact: false }).first()).toBeVisible();
  });
}

test("everything is drawn by keys alone", async ({ page, segue }) => {
  await segue.tool("note.draft", DRAFT);
  await segue.flow(chain("by-keys"));
  await page.goto("/flows");
  await page.getByRole("link", { name: "The by-keys" }).press("Enter");
  await canRun(page);
  // The keys come with the canvas, which is loaded later than the words above it.
  await expect(node(page, "draft")).toBeVisible();

  const pick = async (key: string, words: string) => {
    await page.keyboard.press(key);
    // Nobody waits for a window before going on.
    await page.keyboard.type(words);
    const list = page.getByRole("dialog").filter({ has: page.getByRole("combobox") });
    await expect(list.getByRole("combobox")).toHaveValue(words);
    await page.keyboard.press("Enter");
    await expect(list).not.toBeAttached();
  };
  const title = step(page).getByRole("textbox", { name: "Title" });
  // The first step, another one behind it, which is joined with the last.
  await page.keyboard.press("]");
  await expect(step(page).getByRole("heading", { name: "Draft" })).toBeVisible();
  await pick("i", "Agent");
  await expect(title).toBeFocused();
  await page.keyboard.type("Second");
  await page.keyboard.press("Enter");
  await expect(node(page, "second")).toBeFocused();
  await page.keyboard.press("[");
  await expect(step(page).getByRole("heading", { name: "Draft" })).toBeVisible();
  await pick("c", "publish");
  await expect(step(page).getByRole("button", { name: "Do not receive from draft" })).toBeVisible();
  await expect(page.getByRole("heading", { level: 1 })).toContainText("Graph");

  const edge = page.getByRole("group", { name: "publish receives from draft" });
  await expect(edge).toBeAttached();
  await page.keyboard.press("Control+z");
  await expect(edge).not.toBeAttached();
  await page.keyboard.press("Control+Shift+z");
  await expect(edge).toBeAttached();
  await node(page, "second").focus();
  await page.keyboard.press("Enter");
  await expect(step(page).getByRole("heading", { name: "Second" })).toBeVisible();
  const before = await node(page, "second").boundingBox();
  await page.keyboard.press("ArrowDown");
  await expect.poll(async () => (await node(page, "second").boundingBox())?.y).not.toBe(before?.y);
  await page.keyboard.press("d");
  await expect(node(page, "second-copy")).toBeVisible();
  await page.keyboard.press("Delete");
  await expect(node(page, "second-copy")).toBeHidden();
  await page.keyboard.press("Control+s");
  await expect(page.getByText("Saved", { exact: true })).toBeVisible();
  const [flow] = await saved(segue);
  expect(flow?.flow.steps).toMatchObject([
    { id: "draft", from: null },
    { id: "second", type: "agent.task", from: "draft", params: { title: "Second" } },
    { id: "publish", from: ["second", "draft"] },
  ]);
});

test("an agent, a person and a publisher, one added after the other, are a flow that runs", async ({ page, segue }) => {
  await page.goto("/flows/new");
  await page.getByRole("button", { name: "Begin with nothing" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Asked first");
  await page.getByLabel("Portable id").fill("asked-first");
  await page.getByRole("button", { name: "Add Agent" }).click();
  await expect(step(page).getByRole("textbox", { name: "Title" })).toBeFocused();
  // A built-in role answers to this id.
  await step(page).getByRole("textbox", { name: "Id" }).fill("draft-article");
  await step(page).getByRole("textbox", { name: "Id" }).press("Enter");
  await page.getByRole("button", { name: "Add Person" }).click();
  await expect(node(page, "person")).toBeVisible();
  await page.getByRole("button", { name: "Add Publish" }).click();
  await expect(page.getByText("“publish” waits for “approve” of “person”")).toBeVisible();
  await expect(step(page).getByRole("textbox", { name: "Only if" })).toHaveValue('input.person.option == "approve"');
  await canRun(page);
  await page.getByRole("button", { name: "Save and run" }).click();
  await page.getByRole("button", { name: "Start the Run" }).click();
  await expect(page).toHaveURL(/\/runs\/[0-9a-f-]{36}/);
  await page.getByRole("list", { name: "Your answer is asked for" }).getByRole("button").click();
  const question = page.getByRole("region", { name: "Your answer is asked for" });
  await question.getByRole("button", { name: "Approve" }).click();
  await succeeded(page);
  expect((await saved(segue))[0]?.flow.steps).toMatchObject([
    { id: "draft-article", from: null },
    { id: "person", type: "human.task", from: "draft-article" },
    { id: "publish", from: ["draft-article", "person"], when: 'input.person.option == "approve"' },
  ]);
  const [run] = await segue.get("/api/flows/runs");
  const published = run.steps.find((one: { step_id: string }) => one.step_id === "publish");
  expect(published.artifacts).toMatchObject([{ metadata: { filename: "article.md" } }]);
});

test("steps are dragged, connected and cut with the mouse", async ({ page, segue }) => {
  await segue.tool("note.draft", DRAFT);
  const id = await segue.flow(chain("by-mouse"));
  await page.goto(`/flows/${id}`);
  await canRun(page);
  const canvas = page.getByRole("application", { name: "Canvas of the flow" });
  await page.getByRole("button", { name: "Add Person" }).dragTo(canvas, { targetPosition: { x: 200, y: 60 } });
  await expect(node(page, "person")).toBeVisible();
  await expect(step(page).getByText("The Flow input")).toBeVisible();

  const from = node(page, "person").locator(".react-flow__handle.source");
  const to = node(page, "publish").locator(".react-flow__handle.target");
  await from.dragTo(to);
  const edge = page.getByRole("group", { name: "publish receives from person" });
  await expect(edge).toBeAttached();
  await edge.focus();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Delete");
  await expect(edge).not.toBeAttached();

  const before = await node(page, "person").boundingBox();
  await drag(page, "person", 60, 40);
  await expect.poll(async () => (await node(page, "person").boundingBox())?.y).not.toBe(before?.y);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(async () => (await node(page, "person").boundingBox())?.y).toBe(before?.y);
});

/** How often each drawn edge passes through a box that it does not join, and through the middle of another edge. */
const hidden = (page: Page) =>
  page.evaluate(() => {
    const boxes = [...document.querySelectorAll<HTMLElement>(".react-flow__node")].map((node) => ({
      id: node.dataset.id ?? "",
      box: node.getBoundingClientRect(),
    }));
    return [...document.querySelectorAll<SVGPathElement>(".react-flow__edge-path")].flatMap((path) => {
      const name = path.closest<SVGElement>(".react-flow__edge")?.dataset.id ?? "";
      const matrix = path.getScreenCTM();
      const length = path.getTotalLength();
      const covered = Array.from({ length: 40 }, (_, at) => path.getPointAtLength((length * (at + 0.5)) / 40))
        .map((point) => point.matrixTransform(matrix ?? undefined))
        .flatMap(({ x, y }) =>
          boxes.filter(
            ({ id, box }) =>
              !name.split(/[→⟲> ]/).includes(id) && x > box.left && x < box.right && y > box.top && y < box.bottom,
          ),
        );
      return covered.length === 0 ? [] : [`${name} behind ${covered[0]?.id}`];
    });
  });

/** Whether every box of the graph is inside of it. */
const inSight = (page: Page) =>
  page.evaluate(() => {
    const pane = document.querySelector(".react-flow")?.getBoundingClientRect();
    const boxes = [...document.querySelectorAll(".react-flow__node")].map((node) => node.getBoundingClientRect());
    const isIn = ({ left, right, top, bottom }: DOMRect) =>
      pane !== undefined && left >= pane.left && right <= pane.right && top >= pane.top && bottom <= pane.bottom;
    return boxes.length > 0 && boxes.every(isIn);
  });

const BYPASS: { [name: string]: Json } = {
  schema_version: 2,
  steps: [
    { id: "draft", type: "tool.task", from: null, params: { capability_id: "note.draft" } },
    { id: "person", type: "human.task", from: "draft", prompt: "Good?" },
    { id: "publish", type: "artifact.task", from: ["draft", "person"], when: 'input.person.option == "approve"' },
  ],
};

test("an edge that leaves a step out is seen, and all of a graph stays in sight in a window of another size", async ({
  page,
  segue,
}) => {
  await segue.tool("note.draft", DRAFT);
  const id = await segue.flow(chain("bypassed", BYPASS));
  const run = await segue.start("bypassed");
  for (const [address, name] of [
    [`/flows/${id}`, "flow-bypass"],
    [`/runs/${run}`, "run-bypass"],
  ] as const) {
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.goto(address);
    await expect(page.locator(".react-flow__node")).toHaveCount(3);
    await expect(page.locator(".react-flow__edge-path")).toHaveCount(3);
    await expect.poll(() => inSight(page)).toBe(true);
    await expect.poll(() => hidden(page)).toEqual([]);
    await look(page, name);
    for (const size of [
      { width: 900, height: 600 },
      { width: 1500, height: 900 },
    ]) {
      await page.setViewportSize(size);
      await expect.poll(() => inSight(page)).toBe(true);
    }
    // Who has looked closer keeps what they look at, until they ask for everything again.
    await page.locator(".react-flow__pane").hover({ position: { x: 20, y: 20 } });
    for (let turn = 0; turn < 8; turn += 1) await page.mouse.wheel(0, -200);
    await expect.poll(() => inSight(page)).toBe(false);
    await page.setViewportSize({ width: 1100, height: 700 });
    await expect.poll(() => page.evaluate(() => innerWidth)).toBe(1100);
    expect(await inSight(page)).toBe(false);
    await page.getByRole("button", { name: /^Fit/ }).click();
    await expect.poll(() => inSight(page)).toBe(true);
  }
});

/** Stages of many steps each, so that all of them are seen from far away only. */
function stages(): { [name: string]: Json } {
  const step = (index: number) => ({
    id: `s${index}`,
    type: "agent.task",
    from: index < 12 ? null : `s${index - 12}`,
    prompt: "Go on",
  });
  return { schema_version: 2, steps: Array.from({ length: 240 }, (_, index) => step(index)) };
}

test("steps of a large flow are reached from far away, with the mouse and with keys", async ({ page, segue }) => {
  const id = await segue.flow(chain("large", stages()));
  await page.goto(`/flows/${id}`);
  await canRun(page);
  await expect(node(page, "s100")).toBeAttached();
  await look(page, "flow-far");
  const press = async (name: string) => {
    const box = await node(page, name).boundingBox();
    if (box === null) throw new Error(`${name} is nowhere`);
    // As a hand does it: the pointer is there before it presses.
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.up();
  };
  await press("s100");
  await expect(step(page).getByRole("textbox", { name: "Id" })).toHaveValue("s100");
  await press("s31");
  await expect(step(page).getByRole("textbox", { name: "Id" })).toHaveValue("s31");
  const at = async () => (await node(page, "s31").boundingBox())?.x ?? 0;
  const before = await at();
  await drag(page, "s31", 30, 20);
  await expect.poll(at).toBeGreaterThan(before + 10);
  await node(page, "s50").focus();
  await page.keyboard.press("Tab");
  await expect(node(page, "s51")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(step(page).getByRole("textbox", { name: "Id" })).toHaveValue("s51");
  await page.keyboard.press("]");
  await expect(step(page).getByRole("textbox", { name: "Id" })).toHaveValue("s52");

  // A few presses lead to where steps can be read, and what stood in for them is gone then.
  const picture = page.locator(".far-view");
  await expect(picture).toBeVisible();
  const nearer = page.getByRole("button", { name: "Zoom in" });
  await nearer.click();
  await nearer.click();
  await look(page, "flow-nearer");
  await nearer.click();
  await expect(picture).toBeHidden();
  await look(page, "flow-near");
});

test("rules of graphs are set step by step, as the document has them", async ({ page, segue }) => {
  await segue.tool("note.draft", DRAFT);
  const judge = segue.script("judge", "cat >/dev/null");
  await segue.post("/api/v1/capabilities", {
    kind: "evaluator_cli",
    id: "note.judge",
    name: "note.judge",
    config: { executable: judge, protocol: "symphlo.evaluation.v1" },
  });
  const id = await segue.flow(chain("ruled", { inputs: { items: { type: "array", default: [] } } }));
  await page.goto(`/flows/${id}`);
  await node(page, "draft").click();
  const panel = step(page);
  await panel.getByRole("textbox", { name: "Only if" }).fill("size(flow_input.items) > 0");
  await expect(page.getByRole("heading", { level: 1 })).toContainText("Graph");
  await panel.getByRole("switch", { name: /Run once for each item/ }).click();
  await panel.getByRole("textbox", { name: "For each item of" }).fill("flow_input.items");
  await panel.getByRole("textbox", { name: "Items at once" }).fill("99");
  await expect(panel.getByText("A whole number from 1 to 64.")).toBeVisible();
  await panel.getByRole("textbox", { name: "Items at once" }).fill("2");
  await panel.getByRole("switch", { name: "Try again after a failure" }).click();
  await panel.getByRole("textbox", { name: "Attempts in all" }).fill("3");
  await panel.getByRole("checkbox", { name: "a rate limit" }).click();
  await panel.getByRole("textbox", { name: "Seconds for each attempt" }).fill("30");

  await panel.getByRole("button", { name: "Insert after" }).click();
  await page.getByRole("menuitem", { name: "Evaluation" }).click();
  await choose(page, "Capability", /note\.judge/);
  await choose(page, "A fail goes back to", /^draft/);
  await panel.getByRole("textbox", { name: "At most this often" }).fill("4");
  await panel.getByRole("textbox", { name: "Id" }).fill("judge");
  await panel.getByRole("textbox", { name: "Id" }).press("Enter");
  await expect(node(page, "judge")).toBeVisible();
  await canRun(page);
  await expect(page.locator(".react-flow__edge-path")).toHaveCount(3);
  // The way back runs below the boxes that it joins, where no other edge is.
  await expect.poll(() => hidden(page)).toEqual([]);
  const back = page.locator(".react-flow__edge.repair path.react-flow__edge-path");
  const middle = await back.evaluate((element) => {
    const path = element as SVGPathElement;
    const at = path.getPointAtLength(path.getTotalLength() / 2);
    return at.matrixTransform(path.getScreenCTM() ?? undefined).y;
  });
  const box = await node(page, "judge").boundingBox();
  expect(middle).toBeGreaterThan((box?.y ?? 0) + (box?.height ?? 0));
  await look(page, "flow-repair");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expect(page.getByText("Saved", { exact: true })).toBeVisible();
  expect((await saved(segue))[0]?.flow).toMatchObject({
    schema_version: 2,
    steps: [
      {
        id: "draft",
        when: "size(flow_input.items) > 0",
        for_each: { items: "flow_input.items", max_parallel: 2 },
        retry: { attempts: 3, on: ["timeout", "exit", "unavailable", "malformed"] },
        timeout_seconds: 30,
      },
      { id: "judge", from: "draft", repair: { from: "draft", max_rounds: 4 } },
      { id: "publish", from: "judge" },
    ],
  });
});
