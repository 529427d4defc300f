// What an agent says that it used: numbers under names of its own.

/** Each number with its name in words; parts of parts are named after both. */
export function usageOf(usage: unknown, above = ""): [name: string, value: string][] {
  if (typeof usage !== "object" || usage === null) return [];
  return Object.entries(usage).flatMap(([key, value]): [string, string][] => {
    const name = `${above}${key.replaceAll("_", " ")}`;
    if (typeof value === "number" || typeof value === "string") return [[name, String(value)]];
    return usageOf(value, `${name} `);
  });
}
