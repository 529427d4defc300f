// What can be undone and done again. Small changes of one field follow each other as one.

export interface History<T> {
  readonly past: readonly T[];
  readonly present: T;
  readonly future: readonly T[];
  /** What the last change was about; a change about the same replaces it. */
  readonly about: string | undefined;
}

/** Steps back that are kept. They share what stayed the same, so this is small. */
export const PAST_MAX = 200;

export function begin<T>(present: T): History<T> {
  return { past: [], present, future: [], about: undefined };
}

export function commit<T>(history: History<T>, present: T, about?: string): History<T> {
  if (present === history.present) return history;
  const goesOn = about !== undefined && about === history.about;
  const past = goesOn ? history.past : [...history.past, history.present].slice(-PAST_MAX);
  return { past, present, future: [], about };
}

export function undo<T>(history: History<T>): History<T> {
  const present = history.past.at(-1);
  if (present === undefined) return history;
  return {
    past: history.past.slice(0, -1),
    present,
    future: [history.present, ...history.future],
    about: undefined,
  };
}

export function redo<T>(history: History<T>): History<T> {
  const [present, ...future] = history.future;
  if (present === undefined) return history;
  return { past: [...history.past, history.present], present, future, about: undefined };
}
