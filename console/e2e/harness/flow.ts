// What tests of flows have in common: a flow that can be run, and the parts of the page it is drawn on.

import type { Page } from "@playwright/test";
import type { Json, Segue } from "./segue.ts";
import { expect } from "./test.ts";

/** A tool whose output can be published. */
export const DRAFT = `cat >/dev/null; printf '{"article_markdown":"# Done"}'`;

export function chain(id: string, more: { [name: string]: Json } = {}): Json {
  return {
    schema_version: 1,
    id,
    name: `The ${id}`,
    description: "Draft and publish",
    steps: [
      { id: "draft", type: "tool.task", from: null, params: { title: "Draft", capability_id: "note.draft" } },
      { id: "publish", type: "artifact.task", from: "draft", params: { title: "Publish" } },
    ],
    ...more,
  };
}

export const node = (page: Page, id: string) => page.getByRole("group", { name: new RegExp(`, step ${id}$`) });
export const step = (page: Page) => page.getByRole("region", { name: "Step" });
export const field = (page: Page, name: string) => page.getByRole("dialog").getByLabel(name);
export const canRun = (page: Page) => expect(page.getByText("Can be run")).toBeVisible();

export async function choose(page: Page, label: string, option: string | RegExp): Promise<void> {
  await page.getByRole("combobox", { name: label }).click();
  await page.getByRole("option", { name: option }).click();
}

/** As a hand does it: in more than one move. */
export async function drag(page: Page, id: string, right: number, down: number): Promise<void> {
  const box = await node(page, id).boundingBox();
  if (box === null) throw new Error(`${id} is not on the canvas`);
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + right, y + down, { steps: 6 });
  await page.mouse.up();
}

export async function succeeded(page: Page): Promise<void> {
  await expect(page).toHaveURL(/\/runs\/[0-9a-f-]{36}/);
  await expect(page.getByRole("main").getByText("Succeeded", { exact: true }).first()).toBeVisible();
}

/** The documents of the library, newest first. */
export const saved = async (segue: Segue) =>
  (await segue.get("/api/flows")) as { flow: { id: string; steps: Json[] } }[];
