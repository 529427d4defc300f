// Text for people in what executors return. Pure.

/** The members in which executors return text for people, the most finished first. */
const TEXTS = ["article_markdown", "agent_output", "model_output", "text"];

export function written(value: unknown): string | null {
  if (typeof value !== "object" || value === null) return null;
  const held = value as Readonly<Record<string, unknown>>;
  const found = TEXTS.map((name) => held[name]).find((one) => typeof one === "string" && one.trim() !== "");
  return typeof found === "string" ? found : null;
}

/** The texts of an input: its own, or those of each node that it came from. */
export function writtenIn(input: Readonly<Record<string, unknown>>): { from: string | null; written: string }[] {
  const own = written(input);
  if (own !== null) return [{ from: null, written: own }];
  return Object.entries(input).flatMap(([from, value]) => {
    const one = written(value);
    return one === null ? [] : [{ from, written: one }];
  });
}
