import { expect, type Page } from "@playwright/test";
import type { Json, Segue } from "./segue.ts";

/** A node in the graph of the Run that a page shows, in a state. */
export const node = (page: Page, title: string, state: string) =>
  page
    .getByRole("region", { name: "Graph of the Run" })
    .getByRole("button", { name: new RegExp(`${title}.*${state}`) });

export const heading = (page: Page) => page.getByRole("heading", { level: 1 });

export const tab = (page: Page, name: string | RegExp) => page.getByRole("tab", { name });

/** The flows of `examples/notes`, with what their steps are bound to. */
export async function notes(segue: Segue): Promise<void> {
  segue.examples();
  for (const name of ["draft", "gate", "finish"]) {
    const added = await segue.run("capability", "add", `examples/notes/capabilities/${name}.yaml`);
    expect(added, added.stderr).toMatchObject({ code: 0 });
  }
  for (const name of ["gated-note", "approved-note"]) {
    const saved = await segue.run("flow", "save", `examples/notes/${name}.yaml`);
    expect(saved, saved.stderr).toMatchObject({ code: 0 });
  }
}

/** Waits for a Run without looking at a page. */
export async function settled(
  segue: Segue,
  run: string,
  wanted: (outcome: { status: string; waiting: boolean }) => boolean,
): Promise<void> {
  await expect.poll(async () => wanted(await segue.get(`/api/v1/runs/${run}`))).toBe(true);
}

export const ended = (segue: Segue, run: string) => settled(segue, run, ({ status }) => status !== "running");

/** Starts a saved flow by its local id, with leave for what it writes; the run's id. */
export async function startAuthorized(segue: Segue, local: string, inputs: Json = {}): Promise<string> {
  const preview = await segue.post(`/api/v1/flows/${local}/preview`, { inputs });
  const request = { inputs, effect_authorization: preview.challenge.authorization };
  return (await segue.post(`/api/flows/${local}/runs`, request)).run.run_id;
}
