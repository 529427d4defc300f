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
