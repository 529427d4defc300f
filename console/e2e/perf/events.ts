// How soon a long Run is open and how it stays usable: a Run with 50,000 events in the browser; prints what was seen.
//
//   .ci/with-node node e2e/perf/events.ts
//
// The Run is a real one of a few events whose pages of events are made longer on their way to the browser. Nothing here
// passes or fails; the figures are for docs/benchmarks.md.
import { chromium, type Page } from "@playwright/test";
import { chromium as options } from "../harness/chromium.ts";
import { Segue } from "../harness/segue.ts";

const EVENTS = 50_000;
const NODES = ["plan-article", "draft-article", "review-draft", "revise-article", "publish-article"];
const TYPES = ["executor.started", "item.accepted"];

function event(run: string, sequence: number) {
  const payload = { evidence_level: "E1_DETERMINISTIC", item: sequence };
  return {
    run_id: run,
    sequence,
    node_id: NODES[sequence % NODES.length],
    event_type: sequence === 1 ? "run.created" : TYPES[sequence % TYPES.length],
    payload,
    payload_json: JSON.stringify(payload),
    recorded_at: new Date(Date.UTC(2026, 10, 30) + sequence * 7).toISOString(),
  };
}

async function lengthen(page: Page, run: string): Promise<void> {
  await page.route(`**/api/v1/runs/${run}`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), event_count: EVENTS } });
  });
  await page.route(`**/api/v1/runs/${run}/events?*`, async (route) => {
    const query = new URL(route.request().url()).searchParams;
    const [after, limit] = [Number(query.get("after")), Number(query.get("limit"))];
    const count = Math.min(limit, EVENTS - after);
    const events = Array.from({ length: count }, (_, at) => event(run, after + at + 1));
    const ended = after + count >= EVENTS;
    const page = {
      run_id: run,
      status: "succeeded",
      waiting: false,
      events,
      cursor: after + count,
      has_more: !ended,
      ended,
    };
    await route.fulfill({ json: page });
  });
}

function tell(what: string, since: number): void {
  process.stdout.write(`${what}: ${Math.round(performance.now() - since)} ms\n`);
}

const segue = await Segue.start();
const browser = await chromium.launch(options());
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const run = await segue.start("observable-golden-loop");
  await lengthen(page, run);
  // Whoever opens a long Run has opened a page of the console before.
  await page.goto(`${segue.url}runs`);
  await page.getByRole("link", { name: "observable-golden-loop" }).waitFor();

  let since = performance.now();
  await page.goto(`${segue.url}runs/${run}?view=history`);
  const lines = page.getByRole("list", { name: "All events of the Run" }).getByRole("listitem");
  await lines.first().waitFor();
  tell("opened, first events shown", since);

  await page.getByText(`${EVENTS} events`, { exact: true }).waitFor();
  tell("all events here", since);

  since = performance.now();
  await page.getByRole("slider", { name: "Event" }).fill(String(EVENTS - 7));
  await page.getByText(`${EVENTS - 7} of ${EVENTS}`).waitFor();
  tell("shown near its end", since);

  since = performance.now();
  await page.getByRole("searchbox", { name: "Filter" }).fill('"item":49999');
  await page.getByText(`1 of ${EVENTS} events`).waitFor();
  tell("one found by its payload", since);

  since = performance.now();
  await page.getByRole("tab", { name: "Graph" }).click();
  await page.getByRole("region", { name: "Graph of the Run" }).getByRole("button").first().waitFor();
  tell("its graph shown", since);
} finally {
  await browser.close();
  await segue.dispose();
}
