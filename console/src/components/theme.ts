// Light, dark, or as the system: the reader's choice, kept in the browser. `public/theme.js` applies it before the first
// paint; this file applies what changes later.

import { useSyncExternalStore } from "react";
import { create } from "zustand";
import { readStored, store } from "~/ui/stored";

export type Theme = "system" | "light" | "dark";

const dark = () => matchMedia("(prefers-color-scheme: dark)");

function kept(): Theme {
  const name = readStored("theme");
  return name === "light" || name === "dark" ? name : "system";
}

export const useTheme = create<{ theme: Theme }>(() => ({ theme: kept() }));

export function setTheme(theme: Theme): void {
  store("theme", theme === "system" ? null : theme);
  useTheme.setState({ theme });
  applyTheme();
}

export function applyTheme(): void {
  const { theme } = useTheme.getState();
  const isDark = theme === "dark" || (theme === "system" && dark().matches);
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
}

/** What is shown, whoever chose it: for what is drawn and so does not follow by itself. */
export function useShownTheme(): string {
  return useSyncExternalStore(watchShown, shown);
}

const shown = () => document.documentElement.dataset.theme ?? "light";

function watchShown(changed: () => void): () => void {
  const observer = new MutationObserver(changed);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => observer.disconnect();
}

/** Follows the system, and the choice made in another tab, until the returned function is called. */
export function followTheme(): () => void {
  const system = dark();
  const stored = (event: StorageEvent) => {
    if (event.key !== "segue.theme") return;
    useTheme.setState({ theme: kept() });
    applyTheme();
  };
  system.addEventListener("change", applyTheme);
  window.addEventListener("storage", stored);
  return () => {
    system.removeEventListener("change", applyTheme);
    window.removeEventListener("storage", stored);
  };
}
