// What may be asked for when an agent is kept; the server holds the same bounds.

export interface Range {
  readonly min: number;
  readonly max: number;
}

export const IDLE: Range = { min: 1, max: 600 };
export const TURNS: Range = { min: 1, max: 20 };

/** The whole number that was typed; null for nothing, `undefined` for what is none in range. */
export function whole(typed: string, { min, max }: Range): number | null | undefined {
  const text = typed.trim();
  if (text === "") return null;
  const number = Number(text);
  return /^\d+$/.test(text) && number >= min && number <= max ? number : undefined;
}
