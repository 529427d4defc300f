// What every page begins with: its title, which is also the window's, where it stands, and its actions.

import { ChevronRight } from "lucide-react";
import { type ReactNode, useEffect } from "react";
import { common as text } from "~/text/en/common";
import { cx } from "~/ui/cx";

interface PageProps {
  /** The heading, and the window's title unless `windowTitle` is given. */
  title: ReactNode;
  windowTitle?: string;
  /** Links to the pages above this one. */
  above?: readonly ReactNode[];
  /** A line below the heading. */
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  /** The content fills the window and scrolls by itself, as a canvas does; or only where there is room for that. */
  fill?: boolean | "wide";
}

const FILL: Readonly<Record<string, string>> = {
  true: "h-full min-h-0",
  wide: "lg:h-full lg:min-h-0",
  false: "mx-auto w-full max-w-[90rem]",
};

export function Page({ title, windowTitle, above = [], lead, actions, children, fill = false }: PageProps) {
  usePageTitle(windowTitle ?? (typeof title === "string" ? title : text.product));
  return (
    <div className={cx("flex min-w-0 flex-col", FILL[String(fill)])}>
      <header className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 pt-4 pb-3 sm:px-6">
        {/* Where the actions leave too little room the title has a line of its own. */}
        <div className="min-w-0 flex-1 basis-full sm:basis-56">
          {above.length === 0 ? null : (
            <div className="mb-0.5 flex items-center gap-1 text-ink-3 text-xs">
              {above.map((link, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the trail of one page does not change
                <span key={at} className="flex items-center gap-1">
                  {link}
                  <ChevronRight aria-hidden className="size-3" />
                </span>
              ))}
            </div>
          )}
          <h1 tabIndex={-1} className="flex min-w-0 flex-wrap items-center gap-2 font-semibold text-xl outline-none">
            {title}
          </h1>
          {lead === undefined ? null : <div className="mt-0.5 text-ink-2 text-sm">{lead}</div>}
        </div>
        {actions === undefined ? null : <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      <div
        className={cx(
          "min-w-0",
          fill !== false ? "flex min-h-0 flex-1 flex-col" : "flex flex-col gap-4 px-4 pb-8 sm:px-6",
        )}
      >
        {children}
      </div>
    </div>
  );
}

/** Names the window, and with it the tab, the history and what a screen reader says first. */
export function usePageTitle(title: string): void {
  useEffect(() => {
    document.title = title === text.product ? title : `${title} · ${text.product}`;
  }, [title]);
}
