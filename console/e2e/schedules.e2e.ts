import { look } from "./harness/look.ts";
import type { Segue } from "./harness/segue.ts";
import { expect, test } from "./harness/test.ts";

const NOTE = (capability: string) => ({
  schema_version: 1,
  id: "nightly-note",
  name: "Nightly note",
  inputs: { subject: { type: "string", required: true, description: "What it is about" } },
  steps: [{ id: "note", type: "tool.task", params: { title: "Note", capability_id: capability } }],
});

async function prepared(segue: Segue, effects: string[]): Promise<void> {
  await segue.tool("tool.note", "printf '{\"noted\": true}'", effects);
  await segue.flow(NOTE("tool.note"));
}

test("a schedule is added once what it writes was authorized, switched off and removed", async ({ page, segue }) => {
  await prepared(segue, ["execute_process", "write_local"]);
  await page.goto("/schedules");
  await expect(page.getByText("No schedule")).toBeVisible();
  await page.getByRole("button", { name: "Add a schedule" }).first().click();
  const form = page.getByRole("dialog", { name: "Add a schedule" });
  await form.getByRole("button", { name: "Add", exact: true }).click();
  await expect(form.getByText("Choose a flow.")).toBeVisible();
  await expect(form.getByText("Say when, as five fields.")).toBeVisible();
  await form.getByRole("combobox", { name: /^Flow/ }).click();
  await page.getByRole("option", { name: "Nightly note" }).click();
  await form.getByRole("button", { name: "on working days at 9:00" }).click();
  await expect(form.getByRole("textbox", { name: /^When/ })).toHaveValue("0 9 * * mon-fri");
  await expect(form.getByRole("region", { name: "Next ticks" }).getByRole("listitem")).toHaveCount(3);
  await form.getByRole("combobox", { name: "Time zone" }).click();
  await page.getByRole("option", { name: "Europe/Berlin" }).click();
  const ticks = form.getByRole("region", { name: "Next ticks" });
  await expect(ticks).toContainText("on a clock in Europe/Berlin");
  await expect(ticks.getByText(/^\d{4}-\d\d-\d\d 09:00 \+0[12]:00$/)).toHaveCount(3);
  await form.getByRole("textbox", { name: /^subject/ }).fill("otters");
  await look(page, "schedule-add");
  await form.getByRole("button", { name: "Add", exact: true }).click();

  const leave = page.getByRole("dialog", { name: "This Run writes. May it?" });
  await expect(leave.getByRole("row", { name: /writes on this machine/ })).toContainText("Note");
  await leave.getByRole("button", { name: "Cancel" }).click();
  expect((await segue.get("/api/v1/schedules")).items).toEqual([]);
  await form.getByRole("button", { name: "Add", exact: true }).click();
  await leave.getByRole("button", { name: "Authorize and start" }).click();

  const details = page.getByRole("region", { name: "nightly-note" });
  await expect(details).toContainText("0 9 * * mon-fri");
  await expect(page.getByRole("table", { name: "Schedules" })).toContainText(/09:00 \+0[12]:00/);
  await expect(details).toContainText("Europe/Berlin");
  await expect(details.getByRole("region", { name: "Authorized" })).toContainText("writes on this machine");
  await expect(details.getByRole("region", { name: "What became of its ticks" })).toContainText("Added");
  await look(page, "schedules");
  const [saved] = (await segue.get("/api/v1/schedules")).items;
  expect([saved.flow_id, saved.time_zone, saved.inputs, saved.enabled]).toEqual([
    "nightly-note",
    "Europe/Berlin",
    { subject: "otters" },
    true,
  ]);

  await details.getByRole("switch", { name: "It is on" }).click();
  await expect(details.getByRole("region", { name: "What became of its ticks" })).toContainText("Switched off");
  await expect(page.getByRole("table", { name: "Schedules" })).toContainText("off");
  await page.reload();
  await expect(details.getByRole("switch", { name: "It is on" })).not.toBeChecked();
  await details.getByRole("button", { name: "Remove" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
  await expect(page.getByText("No schedule")).toBeVisible();
  expect((await segue.get("/api/v1/schedules")).items).toEqual([]);
});

test("a pattern that is none is told while it is typed, and not sent", async ({ page, segue }) => {
  await prepared(segue, ["execute_process"]);
  await page.goto("/schedules");
  await page.getByRole("button", { name: "Add a schedule" }).first().click();
  const form = page.getByRole("dialog", { name: "Add a schedule" });
  await form.getByRole("combobox", { name: /^Flow/ }).click();
  await page.getByRole("option", { name: "Nightly note" }).click();
  await form.getByRole("textbox", { name: /^When/ }).fill("every day at nine o'clock");
  await expect(form.getByText(/is no cron pattern of five fields/)).toBeVisible();
  await look(page, "schedule-wrong");
  await form.getByRole("textbox", { name: /^When/ }).fill("0 0 30 2 *");
  await expect(form.getByText(/never comes/)).toBeVisible();
  await form.getByRole("textbox", { name: /^subject/ }).fill("otters");
  await form.getByRole("button", { name: "Add", exact: true }).click();
  await expect(form.getByText(/never comes/)).toBeVisible();
  expect((await segue.get("/api/v1/schedules")).items).toEqual([]);
});
