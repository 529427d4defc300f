import { expect, test } from "vitest";
import { answer, api } from "~/api/client";
import { ApiError } from "~/api/error";
import { answerFromRecording, isRecorded, recordedLink } from "~/api/recorded";
import { type Island, readIsland } from "./island";

const ISLAND: Island = {
  version: 1,
  made_at: "2026-11-30T12:00:00Z",
  segue: "0.1.0",
  kept_in: "evidence.sqlite3",
  room: 1_000,
  left_out: { nodes: 0, events: 0, artifacts: 0, others: 0 },
  run_ids: ["r-1"],
  answers: {
    "/api/v1/runs/r-1/why": { type: "application/json", body: '{"run_id":"r-1","headline":"a </script> & b"}' },
    "/api/v1/runs/r-1/events?after=0&limit=500": { type: "application/json", body: '{"events":[]}' },
    "/api/v1/artifacts/a%2F1/content": { type: "text/markdown", body: "# Ü" },
  },
};

/** As the program writes it. */
const escaped = (value: unknown) =>
  JSON.stringify(value).replaceAll("<", "\\u003c").replaceAll(">", "\\u003e").replaceAll("&", "\\u0026");

const page = (text: string) =>
  new DOMParser().parseFromString(`<script id="recording" type="application/json">${text}</script>`, "text/html");

test("what was written into the page is read back, whatever stands in it", () => {
  expect(readIsland(page(escaped(ISLAND)))).toEqual(ISLAND);
});

test("a report that was not filled has nothing, and nor has one of another shape", () => {
  expect([readIsland(page("null")), readIsland(page('{"version":2}')), readIsland(page("null"))]).toEqual([
    null,
    null,
    null,
  ]);
});

test("requests are answered from the recording, in whatever order their parameters are", async () => {
  answerFromRecording(ISLAND.answers);
  const run = { run_id: "r-1" };
  const why = await answer(api.GET("/api/v1/runs/{run_id}/why", { params: { path: run } }));
  const events = await answer(
    api.GET("/api/v1/runs/{run_id}/events", { params: { path: run, query: { limit: 500, after: 0 } } }),
  );
  expect([isRecorded(), why.headline, events]).toEqual([true, "a </script> & b", { events: [] }]);
});

test("what was not recorded, or would change something, is refused", async () => {
  answerFromRecording(ISLAND.answers);
  const params = { path: { run_id: "r-2" } };
  const other = answer(api.GET("/api/v1/runs/{run_id}", { params }));
  await expect(other).rejects.toMatchObject({ code: "not_recorded" });
  const change = answer(api.POST("/api/v1/runs/{run_id}/replays", { params, body: {} }));
  await expect(change).rejects.toBeInstanceOf(ApiError);
});

test("a recorded artifact can be taken along, byte for byte", () => {
  answerFromRecording(ISLAND.answers);
  const link = recordedLink("/api/v1/artifacts/a%2F1/content");
  const bytes = Uint8Array.from(atob(link?.split(",")[1] ?? ""), (one) => one.charCodeAt(0));
  expect([link?.split(",")[0], new TextDecoder().decode(bytes)]).toEqual(["data:text/markdown;base64", "# Ü"]);
});
