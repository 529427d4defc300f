// The list of pages, with search above and the state of the console below.

import { Link } from "@tanstack/react-router";
import { Keyboard, Monitor, Moon, Search, Sun } from "lucide-react";
import { common as text } from "~/text/en/common";
import { IconButton } from "~/ui/Button";
import { Kbd } from "~/ui/Kbd";
import { Menu } from "~/ui/Menu";
import { ConnectionMark } from "./ConnectionState";
import { Logo } from "./Logo";
import { PLACES } from "./places";
import { setTheme, useTheme } from "./theme";

interface NavigationProps {
  onSearch: () => void;
  onKeys: () => void;
  onNavigate?: () => void;
}

const THEME_ICONS = { system: Monitor, light: Sun, dark: Moon };

export function Navigation({ onSearch, onKeys, onNavigate }: NavigationProps) {
  const theme = useTheme((held) => held.theme);
  return (
    <>
      <Link
        to="/"
        onClick={onNavigate}
        className="m-2 mb-1 flex items-center gap-2 rounded-md px-2 py-1.5 font-semibold text-lg"
      >
        <Logo className="size-6" />
        {text.product}
      </Link>
      <button
        type="button"
        onClick={onSearch}
        className="mx-2 mb-2 flex h-8 items-center gap-2 rounded-md border border-line bg-bg px-2 text-ink-3 text-sm hover:border-line-strong"
      >
        <Search aria-hidden className="size-3.5" />
        <span className="flex-1 text-left">{text.palette.open}</span>
        <Kbd keys="Ctrl+K" />
      </button>
      <nav aria-label={text.nav.label} className="min-h-0 flex-1 overflow-y-auto px-2">
        <ul className="flex flex-col gap-px">
          {PLACES.map(({ to, label, icon: Icon }) => (
            <li key={to}>
              <Link
                to={to}
                onClick={onNavigate}
                activeOptions={{ exact: to === "/", includeSearch: false }}
                className="flex h-8 items-center gap-2.5 rounded-md px-2 font-medium text-ink-2 text-sm hover:bg-hover hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:text-accent"
              >
                <Icon aria-hidden className="size-4" />
                {label}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <div className="flex items-center gap-1 border-line border-t px-3 py-2">
        <span className="flex-1">
          <ConnectionMark />
        </span>
        <IconButton icon={Keyboard} label={text.shortcuts.title} size="sm" onClick={onKeys} />
        <Menu
          trigger={<IconButton icon={THEME_ICONS[theme]} label={text.theme.label} size="sm" />}
          actions={(["system", "light", "dark"] as const).map((choice) => ({
            label: text.theme[choice],
            icon: THEME_ICONS[choice],
            onSelect: () => setTheme(choice),
          }))}
        />
      </div>
    </>
  );
}
