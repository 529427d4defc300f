import { test as base, expect } from "@playwright/test";
import { Segue } from "./segue.ts";

/** A test with a server of its own, and a page that must not fail while it is looked at. */
export const test = base.extend<{ segue: Segue }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the names of what a fixture needs.
  segue: async ({}, use) => {
    const segue = await Segue.start();
    try {
      await use(segue);
    } finally {
      await segue.dispose();
    }
  },
  baseURL: async ({ segue }, use) => {
    await use(segue.url);
  },
  page: async ({ page }, use) => {
    const faults: string[] = [];
    page.on("pageerror", (error) => faults.push(error.stack ?? error.message));
    page.on("console", (message) => {
      // A refused request is an error to the browser; what it means to people is what tests look at.
      const refused = message.text().startsWith("Failed to load resource");
      if (message.type() === "error" && !refused) faults.push(message.text());
    });
    await use(page);
    expect(faults, "the page reports no fault").toEqual([]);
  },
});

export { expect };
