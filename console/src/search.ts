// Reads what stands behind the `?` of an address. Whatever cannot be read is as if it were not there.

/** A text, also one that looks like a number or a truth value. */
export function words(value: unknown): string | undefined {
  if (typeof value === "string") return value === "" ? undefined : value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

/** A whole number from 0 on. */
export function integer(value: unknown): number | undefined {
  const number = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

/** One of `known`. */
export function oneOf<const V extends string>(known: readonly V[], value: unknown): V | undefined {
  return known.find((one) => one === value);
}

/** Without the members that are `undefined`, so that an address does not show them. */
export function some<T extends Record<string, unknown>>(search: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as never;
}
