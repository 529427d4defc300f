// Keys that do something. The shell's are always there, a page adds its own while it is shown, and `?` lists them all.

import { useEffect, useEffectEvent } from "react";
import { create } from "zustand";

export interface Shortcut {
  /** One key (`n`, `?`, `ArrowLeft`) or two, one after the other (`g r`). */
  keys: string;
  label: string;
  run: () => void;
}

interface Registry {
  shell: readonly Shortcut[];
  page: readonly Shortcut[];
}

export const useShortcutRegistry = create<Registry>(() => ({ shell: [], page: [] }));

/** What has the keys for itself. A notice is a dialog as well, but one that asks for nothing. */
const ABOVE = '[role="dialog"]:not([aria-modal="false"]), [role="alertdialog"], [role="menu"], [role="listbox"]';

/** How long the second key of two is waited for. */
const SECOND_KEY_MS = 1_200;

/** Registers `shortcuts` while the component is shown. Their list must keep its length and keys between renders. */
export function useShortcuts(place: keyof Registry, shortcuts: readonly Shortcut[]): void {
  const run = useEffectEvent((keys: string) => shortcuts.find((shortcut) => shortcut.keys === keys)?.run());
  const listed = useEffectEvent(() =>
    shortcuts.map(({ keys, label }): Shortcut => ({ keys, label, run: () => run(keys) })),
  );
  const names = shortcuts.map((shortcut) => shortcut.keys).join("\n");

  // biome-ignore lint/correctness/useExhaustiveDependencies: the names stand for the list
  useEffect(() => {
    const mine = listed();
    useShortcutRegistry.setState((held) => ({ [place]: [...held[place], ...mine] }));
    return () => {
      useShortcutRegistry.setState((held) => ({ [place]: held[place].filter((shortcut) => !mine.includes(shortcut)) }));
    };
  }, [place, names]);
}

/** Listens for keys until the returned function is called. `timeOf` stands in for the browser's clock in tests. */
export function listenForShortcuts(timeOf = (event: Event) => event.timeStamp): () => void {
  let first: { key: string; at: number } | null = null;
  const pressed = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || writesText(event)) return;
    if (document.querySelector(ABOVE)) return;
    const { shell, page } = useShortcutRegistry.getState();
    const all = [...page, ...shell];
    const pair = first !== null && timeOf(event) - first.at < SECOND_KEY_MS ? `${first.key} ${event.key}` : null;
    const found = all.find((shortcut) => shortcut.keys === pair) ?? all.find((shortcut) => shortcut.keys === event.key);
    if (found !== undefined) {
      first = null;
      event.preventDefault();
      found.run();
      return;
    }
    first = all.some((shortcut) => shortcut.keys.startsWith(`${event.key} `))
      ? { key: event.key, at: timeOf(event) }
      : null;
  };
  window.addEventListener("keydown", pressed);
  return () => window.removeEventListener("keydown", pressed);
}

function writesText(event: KeyboardEvent): boolean {
  // The editor lives in a shadow root, so that the target alone would be its host.
  const target = event.composedPath()[0];
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || target.matches("input, textarea, select, [role='textbox'], [role='combobox']");
}
