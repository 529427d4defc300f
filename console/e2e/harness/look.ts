import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { expect, type Page } from "@playwright/test";
import type { AxeResults } from "axe-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SCREENSHOTS = resolve(import.meta.dirname, "../../../.check/screenshots");
const WIDE = { width: 1280, height: 800 };
const NARROW = { width: 390, height: 844 };

/**
 * Looks at a page as it stands, in light and dark and narrow: no serious finding of accessibility, nothing that is
 * wider than the screen, and a picture of each in `.check/screenshots`.
 */
export async function look(page: Page, name: string): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await inScheme(page, colorScheme);
    await accessible(page, `${name} in ${colorScheme}`);
    await shot(page, `${name}-${colorScheme}`);
  }
  await inScheme(page, "light");
  await page.setViewportSize(NARROW);
  await accessible(page, `${name}, narrow`);
  await shot(page, `${name}-narrow`);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(width, `${name}, narrow, does not scroll sideways`).toBeLessThanOrEqual(NARROW.width);
  await page.setViewportSize(WIDE);
}

/** Waits until the page has taken the scheme over. */
async function inScheme(page: Page, colorScheme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  await expect(page.locator("html")).toHaveAttribute("data-theme", colorScheme);
  await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
}

async function shot(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(SCREENSHOTS, `${name}.png`), animations: "disabled", caret: "hide" });
}

async function accessible(page: Page, what: string): Promise<void> {
  await page.evaluate(AXE);
  const results: AxeResults = await page.evaluate("axe.run(document, { resultTypes: ['violations'] })");
  const serious = results.violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  const findings = serious.map(
    ({ id, help, nodes }) => `${id}: ${help}: ${nodes.map((node) => node.html).join(" | ")}`,
  );
  expect(findings, `${what} is accessible`).toEqual([]);
}
