// How smoothly a large flow is moved: pans and zooms a graph of 1,000 steps in the browser and prints what was seen.
//
//   .ci/with-node node e2e/perf/canvas.ts
//
// Nothing here passes or fails; the figures are for docs/benchmarks.md.
import { chromium } from "@playwright/test";
import { chromium as options } from "../harness/chromium.ts";
import { Segue } from "../harness/segue.ts";

const STEPS = 1000;
const SECONDS = 5;
const PACE_MS = 8;

const ACROSS = 32;

/** Stages of many steps; each step receives from up to three of the stage before. */
function document(): string {
  const steps = Array.from({ length: STEPS }, (_, index) => {
    const before = index - ACROSS;
    const from = [before, before + (index % 3), before - (index % 2)].filter((one) => one >= 0);
    return { id: `s${index}`, type: "tool.task", from: [...new Set(from)].map((one) => `s${one}`) };
  });
  return JSON.stringify({ schema_version: 2, id: "large", name: "Large", steps });
}

/** The moments between frames, until `stop` is called in the page. */
const WATCH = `
  window.frames_ = [];
  window.watch_ = (now) => { window.frames_.push(now); window.handle_ = requestAnimationFrame(window.watch_); };
  window.handle_ = requestAnimationFrame(window.watch_);
`;
const STOP = "cancelAnimationFrame(window.handle_); window.frames_";

function tell(what: string, frames: number[], busy: number): void {
  const gaps = frames.slice(1).map((at, index) => at - (frames[index] ?? at));
  const sorted = gaps.toSorted((a, b) => a - b);
  const of = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  const total = gaps.reduce((sum, gap) => sum + gap, 0);
  const rate = (1000 * gaps.length) / total;
  process.stdout.write(
    `${what}: ${rate.toFixed(1)} frames/s, median ${of(0.5).toFixed(1)} ms, 95 % within ${of(0.95).toFixed(1)} ms, slowest ${of(1).toFixed(1)} ms; ${((1000 * busy) / gaps.length).toFixed(1)} ms of processor time each\n`,
  );
}

const segue = await Segue.start();
const browser = await chromium.launch(options());
try {
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  const middle = { x: 560, y: 480 };
  const open = async () => {
    await page.goto(`${segue.url}flows/new`);
    const file = { name: "large.json", mimeType: "application/json", buffer: Buffer.from(document()) };
    await page.getByLabel("Choose a file").setInputFiles(file);
    await page.getByRole("group", { name: /, step s0$/ }).waitFor();
    // The checks of the document are over as well.
    await page.getByText("Cannot be run").waitFor();
  };

  // The page's own thread, whatever else runs on the machine. 60 frames/s leave 16.7 ms for each.
  const session = await page.context().newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const busy = async () => {
    const { metrics } = await session.send("Performance.getMetrics");
    return metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0;
  };

  const measure = async (what: string, gesture: (round: number) => Promise<void>) => {
    await page.evaluate(WATCH);
    const before = await busy();
    const until = performance.now() + SECONDS * 1000;
    for (let round = 0; performance.now() < until; round += 1) await gesture(round);
    const spent = (await busy()) - before;
    tell(what, await page.evaluate(STOP), spent);
  };
  const pan = async (round: number) => {
    const angle = round / 20;
    await page.mouse.move(middle.x + 250 * Math.sin(angle), middle.y + 180 * Math.sin(angle * 1.7));
    await page.waitForTimeout(PACE_MS);
  };
  const panning = async (what: string) => {
    await page.mouse.move(middle.x, middle.y);
    await page.mouse.down({ button: "middle" });
    await measure(what, pan);
    await page.mouse.up({ button: "middle" });
  };

  await page.goto("about:blank");
  await measure("an empty page, for comparison", pan);
  await open();
  await panning(`pan, all ${STEPS} steps in sight`);
  await page.mouse.move(middle.x, middle.y);
  await measure("zoom in and out over everything", async (round) => {
    await page.mouse.wheel(0, round % 60 < 30 ? -60 : 60);
    await page.waitForTimeout(PACE_MS);
  });
  for (let turn = 0; turn < 40; turn += 1) await page.mouse.wheel(0, -60);
  await panning("pan, near, steps coming and going");
} finally {
  await browser.close();
  await segue.dispose();
}
