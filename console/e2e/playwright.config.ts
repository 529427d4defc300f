import { defineConfig } from "@playwright/test";
import { chromium } from "./harness/chromium.ts";

/** A busy machine is slow, not wrong. */
const patience = 30_000;

export default defineConfig({
  testDir: ".",
  testMatch: "**/*.e2e.ts",
  outputDir: "../../.check/e2e",
  fullyParallel: true,
  workers: Number(process.env.E2E_WORKERS ?? 2),
  timeout: 4 * patience,
  expect: { timeout: patience },
  forbidOnly: true,
  // As for the other tests: a shared build server may try again, and what passes then is listed as FLAKY.
  retries: process.env.CI ? 2 : 0,
  reporter: [["./harness/reporter.ts"]],
  use: {
    browserName: "chromium",
    locale: "en-GB",
    timezoneId: "UTC",
    viewport: { width: 1280, height: 800 },
    actionTimeout: patience,
    navigationTimeout: patience,
    screenshot: "only-on-failure",
    trace: "retain-on-failure",
    launchOptions: chromium(),
  },
});
