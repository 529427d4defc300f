import type { Request } from "@playwright/test";
import { expect, test } from "./harness/test.ts";

test("a browser of the same user is let in, and the page keeps to its policy", async ({ page, segue }) => {
  const response = await page.goto("/");
  expect(response?.status()).toBe(200);
  expect(await response?.headerValue("content-security-policy")).toContain("script-src 'self';");
  await expect(page).toHaveTitle(/Segue/);
  await expect(page.getByRole("main")).toBeVisible();
  await page.goto("/flow-console");
  expect(page.url()).toBe(segue.url);
});

test("a page of another site learns nothing", async ({ browser, segue }) => {
  const page = await browser.newPage();
  await page.route("http://example.test/**", (route) =>
    route.fulfill({ contentType: "text/html", body: "<title>Elsewhere</title>" }),
  );
  await page.goto("http://example.test/");
  const seen = await page.evaluate(async (url) => {
    const read = await fetch(`${url}api/v1/runs`).then(
      () => "answered",
      () => "refused",
    );
    const sent = await fetch(`${url}api/v1/channel/tasks`, { method: "POST", mode: "no-cors", body: "{}" }).then(
      ({ type, status }) => `${type} ${status}`,
      () => "refused",
    );
    const script = await new Promise((settle) => {
      const element = document.createElement("script");
      element.src = `${url}theme.js`;
      element.onload = () => settle("ran");
      element.onerror = () => settle("refused");
      document.head.append(element);
    });
    return { read, sent, script };
  }, segue.url);
  await page.close();
  expect(seen.read).toBe("refused");
  expect(seen.script).toBe("refused");
  expect(["refused", "opaque 0"]).toContain(seen.sent);
  expect((await segue.get("/api/v1/channel/tasks")).items).toEqual([]);
});

test("the first page takes less than 300 kB, and a second look takes none of its files again", async ({ page }) => {
  const sizes = async (go: () => Promise<unknown>): Promise<number> => {
    const requests: Request[] = [];
    const heard = (request: Request) => requests.push(request);
    page.on("requestfinished", heard);
    await go();
    await expect(page.getByRole("heading", { level: 1, name: "Home" })).toBeVisible();
    page.off("requestfinished", heard);
    const files = requests.filter((request) => !new URL(request.url()).pathname.startsWith("/api/"));
    const bodies = await Promise.all(files.map(async (request) => (await request.sizes()).responseBodySize));
    return bodies.reduce((sum, bytes) => sum + bytes, 0);
  };
  const first = await sizes(() => page.goto("/"));
  expect(first).toBeGreaterThan(10_000);
  expect(first).toBeLessThan(300_000);
  expect(await sizes(() => page.reload())).toBeLessThan(10_000);
});
