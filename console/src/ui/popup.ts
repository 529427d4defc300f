// How everything looks that opens above the page.

import { cx } from "./cx";

export const POPUP = cx(
  "rounded-lg border border-line bg-surface text-ink shadow-float outline-none",
  "origin-[var(--transform-origin)] transition-[opacity,scale] duration-100",
  "data-[ending-style]:scale-[0.98] data-[starting-style]:scale-[0.98] data-[ending-style]:opacity-0 data-[starting-style]:opacity-0",
);

export const BACKDROP = cx(
  "fixed inset-0 z-40 bg-black/35 transition-opacity duration-100",
  "data-[ending-style]:opacity-0 data-[starting-style]:opacity-0",
);
