import { expect, test } from "vitest";
import { findings, validator } from "./validator";

const SCHEMA = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 2 },
    tags: { type: "array", items: { type: "string" } },
    when: { $ref: "#/$defs/hour" },
  },
  required: ["name"],
  $defs: { hour: { type: "integer", maximum: 23 } },
} as const;

const places = (value: unknown) => findings(SCHEMA as never, value).map((error) => [error.property, error.name]);

test("what is missing is said at its field", () => {
  expect(places({ name: undefined })).toEqual([[".name", "required"]]);
});

test("what is wrong is said where it is, and not above it", () => {
  expect(places({ name: "a", tags: ["x", 3], when: 40 })).toEqual([
    [".name", "minLength"],
    [".tags.1", "type"],
    [".when", "maximum"],
  ]);
});

test("a good value has no findings", () => {
  expect(places({ name: "ab", tags: [], when: 3 })).toEqual([]);
});

test("a part of a schema knows the definitions of the whole", () => {
  const ok = (value: number) => validator.isValid(SCHEMA.properties.when as never, value as never, SCHEMA as never);
  expect([ok(3), ok(30)]).toEqual([true, false]);
});
