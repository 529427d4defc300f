// What the browser keeps for this console: looks and places, never facts. Storage may be switched off; then nothing is
// kept and nothing breaks.

const PREFIX = "segue.";

export function readStored(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

export function store(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(PREFIX + name);
    else localStorage.setItem(PREFIX + name, value);
  } catch {
    // See above.
  }
}
