import { readFileSync } from "node:fs";
import { look } from "./harness/look.ts";
import { expect, test } from "./harness/test.ts";

test("settings say where things are and how to get in, and never the token", async ({ page, segue }) => {
  await page.goto("/settings");
  const places = page.getByRole("region", { name: "Where things are" });
  await expect(places).toContainText(segue.workspace);
  await expect(places).toContainText(segue.path("state"));
  const access = page.getByRole("region", { name: "Access" });
  const file = segue.path("state", "http-token");
  await expect(access).toContainText(file);
  expect(await page.content()).not.toContain(readFileSync(file, "utf8").trim());
  await expect(page.getByRole("region", { name: "For MCP clients" })).toContainText("segue mcp --state-dir");
  const add = `segue mcp add --state-dir ${segue.path("state")}`;
  await expect(page.getByRole("region", { name: "For MCP clients" })).toContainText(add);
  await expect(page.getByRole("region", { name: "Agents" }).getByText("installed", { exact: true })).toHaveCount(6);
  await expect(page.getByRole("region", { name: "About" })).toContainText("0.1.0");
  await look(page, "settings");
});

test("the theme is kept, also over a reload and in another tab", async ({ page, context }) => {
  await page.emulateMedia({ colorScheme: "light" });
  await page.goto("/settings");
  await expect(page.locator("html")).toHaveAttribute("data-theme", "light");
  const other = await context.newPage();
  await other.goto("/");
  await page.getByRole("radio", { name: "Dark" }).click();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
  await expect(other.locator("html")).toHaveAttribute("data-theme", "dark");
  await page.reload();
  await expect(page.getByRole("radio", { name: "Dark" })).toBeChecked();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
});

test("every page is reached by keyboard alone", async ({ page }) => {
  await page.goto("/");
  await expect(page.getByRole("heading", { level: 1, name: "Home" })).toBeVisible();
  for (const [keys, heading] of [
    ["f", "Flows"],
    ["r", "Runs"],
    ["t", "Tasks"],
    ["c", "Agents & capabilities"],
    ["s", "Schedules"],
    [",", "Settings"],
    ["h", "Home"],
  ] as const) {
    await page.keyboard.press("g");
    await page.keyboard.press(keys);
    await expect(page.getByRole("heading", { level: 1, name: heading })).toBeFocused();
  }
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Keyboard shortcuts" })).toBeVisible();
  await page.keyboard.press("Escape");
  // What is typed before the palette is loaded is for the palette.
  await page.keyboard.press("Control+k");
  await page.keyboard.type("setti");
  await expect(page.getByPlaceholder("Type a page, Run, flow or task")).toHaveValue("setti");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: "Settings" })).toBeVisible();
});
