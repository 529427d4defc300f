// The frame of the report: which Run is looked at, and the theme.

import { Link, Outlet } from "@tanstack/react-router";
import { Monitor, Moon, Sun } from "lucide-react";
import { useEffect } from "react";
import { Logo } from "~/components/Logo";
import { listenForShortcuts } from "~/components/shortcuts";
import { setTheme, useTheme } from "~/components/theme";
import { common } from "~/text/en/common";
import { report as text } from "~/text/en/report";
import { IconButton } from "~/ui/Button";
import { Menu } from "~/ui/Menu";
import type { Island } from "./island";

const THEME_ICONS = { system: Monitor, light: Sun, dark: Moon };
const TAB =
  "flex h-8 items-center rounded-md px-2.5 font-medium text-ink-2 text-sm hover:bg-hover hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:text-accent";

export function ReportShell({ island }: { island: Island | null }) {
  const theme = useTheme((held) => held.theme);
  const runIds = island?.run_ids ?? [];
  const [left, right] = runIds;
  useEffect(() => listenForShortcuts(), []);
  return (
    <div className="flex h-dvh min-w-0 flex-col bg-bg">
      <header className="flex flex-wrap items-center gap-x-4 gap-y-1 border-line border-b bg-surface px-4 py-2 sm:px-6">
        <span className="flex flex-1 items-center gap-2 font-semibold sm:flex-none">
          <Logo className="size-6" />
          {text.title}
        </span>
        <nav aria-label={text.pages} className="order-last w-full min-w-0 sm:order-none sm:w-auto sm:flex-1">
          <ul className="flex flex-wrap gap-1">
            <li>
              <Link to="/" activeOptions={{ exact: true }} className={TAB}>
                {text.overview}
              </Link>
            </li>
            {runIds.map((runId, at) => (
              <li key={runId}>
                <Link to="/runs/$runId" params={{ runId }} activeOptions={{ includeSearch: false }} className={TAB}>
                  {text.run(at + 1)}
                </Link>
              </li>
            ))}
            {left !== undefined && right !== undefined ? (
              <li>
                <Link
                  to="/compare"
                  search={{ a: left, b: right }}
                  activeOptions={{ includeSearch: false }}
                  className={TAB}
                >
                  {text.compare}
                </Link>
              </li>
            ) : null}
          </ul>
        </nav>
        <Menu
          trigger={<IconButton icon={THEME_ICONS[theme]} label={common.theme.label} size="sm" />}
          actions={(["system", "light", "dark"] as const).map((choice) => ({
            label: common.theme[choice],
            icon: THEME_ICONS[choice],
            onSelect: () => setTheme(choice),
          }))}
        />
      </header>
      <main className="min-h-0 min-w-0 flex-1 overflow-y-auto">
        <Outlet />
      </main>
    </div>
  );
}
