import { expect, test } from "vitest";
import { fill } from "~/canvas/inputs";
import { changedInputs, heldInputs } from "./forkInputs";

const DECLARED = {
  report_focus: { type: "string", default: "Otters" },
  count: { type: "integer", default: 1 },
  note: { type: "string" },
  rules: { type: "object", default: {} },
  loud: { type: "boolean", default: false },
};
const INPUTS = heldInputs(DECLARED, { topic: "Beavers", count: 3, rules: { a: 1 }, loud: true, audience: "anyone" });
const changed = (drafts: Record<string, string | boolean>) => changedInputs(INPUTS, fill(INPUTS, drafts));

test("a form begins with what the Run had, not with what the flow would give", () => {
  expect(INPUTS.map(({ name, fallback }) => [name, fallback])).toEqual([
    ["report_focus", "Beavers"],
    ["count", 3],
    ["note", undefined],
    ["rules", { a: 1 }],
    ["loud", true],
  ]);
});

test.each([
  ["nothing typed", {}, null],
  ["typed as it was", { count: "3", rules: '{ "a": 1 }', loud: true, note: "" }, null],
  ["one changed", { count: "4", report_focus: "Beavers" }, { count: 4 }],
  ["one added", { note: "new" }, { note: "new" }],
  ["one taken away", { report_focus: "", loud: false }, { report_focus: null, loud: false }],
])("%s", (_, drafts, sent) => {
  expect(changed(drafts)).toEqual(sent);
});
