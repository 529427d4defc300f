// Whether a value follows a schema, as the form library asks it. The usual validator compiles schemas to code, which the
// content security policy refuses; this one interprets them. The server's word is the last one.

import { type Schema, Validator } from "@cfworker/json-schema";
import { type RJSFSchema, type RJSFValidationError, toErrorSchema, type ValidatorType } from "@rjsf/utils";

/** These say only that something below them is wrong, which is said there. */
const OUTER: ReadonlySet<string> = new Set(["properties", "items", "prefixItems", "allOf", "$ref", "additionalItems"]);

/** What is wrong with `value`, each at its place (`.name`, `.list.0`). */
export function findings(schema: RJSFSchema, value: unknown): RJSFValidationError[] {
  // A form leaves out what is empty by `undefined`, which JSON does not know.
  const instance = value === undefined ? undefined : JSON.parse(JSON.stringify(value));
  const { errors } = new Validator(schema as Schema, "2020-12", false).validate(instance);
  return errors
    .filter((error) => !OUTER.has(error.keyword))
    .map((error): RJSFValidationError => {
      const place = property(error.instanceLocation, missing(error));
      return { name: error.keyword, property: place, message: error.error, stack: `${place} ${error.error}`.trim() };
    });
}

/** The name that is missing, so that it can be said at its field. */
function missing(error: { keyword: string; error: string }): string | null {
  return error.keyword === "required" ? (/required property "(.*)"\.$/.exec(error.error)?.[1] ?? null) : null;
}

function property(location: string, below: string | null): string {
  const names = location
    .replace(/^#\/?/, "")
    .split("/")
    .filter((name) => name !== "")
    .map((name) => decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~"));
  const all = below === null ? names : [...names, below];
  return all.map((name) => `.${name}`).join("");
}

export const validator: ValidatorType = {
  validateFormData(formData, schema, _customValidate, transformErrors, uiSchema) {
    const found = findings(schema, formData);
    const errors = transformErrors?.(found, uiSchema) ?? found;
    return { errors, errorSchema: toErrorSchema(errors) };
  },
  isValid(schema, formData, rootSchema) {
    try {
      // `$ref` of a part is into the whole schema.
      const { $defs, definitions } = rootSchema as RJSFSchema;
      const whole = { ...($defs && { $defs }), ...(definitions && { definitions }), ...(schema as object) };
      return findings(whole as RJSFSchema, formData).length === 0;
    } catch {
      return false;
    }
  },
  rawValidation(schema, formData) {
    return { errors: findings(schema, formData) as never };
  },
};
