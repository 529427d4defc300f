// The frame around every page: navigation, search, connection, keys. On narrow screens the navigation opens as a drawer.

import { Dialog } from "@base-ui/react/dialog";
import { Outlet, useNavigate, useRouter } from "@tanstack/react-router";
import { Menu as MenuIcon, Search } from "lucide-react";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { useLiveUpdates } from "~/api/live";
import { common as text } from "~/text/en/common";
import { IconButton } from "~/ui/Button";
import { cx } from "~/ui/cx";
import { BACKDROP } from "~/ui/popup";
import { ConnectionNotice } from "./ConnectionState";
import { Navigation } from "./Navigation";
import { PLACES } from "./places";
import { ShortcutsDialog } from "./ShortcutsDialog";
import { listenForShortcuts, useShortcuts } from "./shortcuts";
import { followTheme } from "./theme";
import { useTypedAhead } from "./typedAhead";

const Palette = lazy(() => import("./Palette"));

export function Shell() {
  const navigate = useNavigate();
  const [palette, setPalette] = useState(false);
  const [keys, setKeys] = useState(false);
  const [drawer, setDrawer] = useState(false);
  const main = useRef<HTMLElement>(null);
  const typed = useTypedAhead(palette);

  useLiveUpdates();
  useEffect(followTheme, []);
  useEffect(() => listenForShortcuts(), []);
  useEffect(() => listenForPalette(() => setPalette((open) => !open)), []);
  useFocusOnNavigation(main);
  useShortcuts("shell", [
    ...PLACES.map(({ to, label, key }) => ({
      keys: `g ${key}`,
      label: text.shortcuts.goTo(label),
      run: () => void navigate({ to }),
    })),
    { keys: "?", label: text.shortcuts.help, run: () => setKeys(true) },
  ]);

  const openPalette = () => setPalette(true);
  const openKeys = () => setKeys(true);
  return (
    <div className="flex h-dvh min-w-0 flex-col bg-bg md:flex-row">
      <a
        href="#content"
        className="sr-only z-50 rounded-md bg-accent px-3 py-2 text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        {text.skipToContent}
      </a>
      <header className="hidden w-56 shrink-0 flex-col border-line border-r bg-surface md:flex">
        <Navigation onSearch={openPalette} onKeys={openKeys} />
      </header>
      <header className="flex h-12 shrink-0 items-center gap-2 border-line border-b bg-surface px-2 md:hidden">
        <Dialog.Root open={drawer} onOpenChange={(open) => setDrawer(open)}>
          <Dialog.Trigger render={<IconButton icon={MenuIcon} label={text.nav.open} />} />
          <Dialog.Portal>
            <Dialog.Backdrop className={BACKDROP} />
            <Dialog.Popup
              aria-label={text.nav.label}
              className={cx(
                "fixed inset-y-0 left-0 z-50 flex w-64 flex-col border-line border-r bg-surface transition-transform",
                "data-[ending-style]:-translate-x-full data-[starting-style]:-translate-x-full",
              )}
            >
              <Navigation
                onSearch={() => {
                  setDrawer(false);
                  openPalette();
                }}
                onKeys={() => {
                  setDrawer(false);
                  openKeys();
                }}
                onNavigate={() => setDrawer(false)}
              />
            </Dialog.Popup>
          </Dialog.Portal>
        </Dialog.Root>
        <span className="flex-1 font-semibold">{text.product}</span>
        <IconButton icon={Search} label={text.palette.open} onClick={openPalette} />
      </header>
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        <ConnectionNotice />
        <main id="content" ref={main} tabIndex={-1} className="min-h-0 min-w-0 flex-1 overflow-y-auto outline-none">
          <Outlet />
        </main>
      </div>
      <ShortcutsDialog open={keys} onOpenChange={setKeys} />
      {palette ? (
        <Suspense fallback={null}>
          <Palette typed={typed} onClose={() => setPalette(false)} onKeys={openKeys} />
        </Suspense>
      ) : null}
    </div>
  );
}

function listenForPalette(toggle: () => void): () => void {
  const pressed = (event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
    event.preventDefault();
    toggle();
  };
  window.addEventListener("keydown", pressed);
  return () => window.removeEventListener("keydown", pressed);
}

/** A new page begins at its heading, for the eye and for a screen reader; another view of the same page stays put. */
function useFocusOnNavigation(main: React.RefObject<HTMLElement | null>): void {
  const router = useRouter();
  useEffect(() => {
    const focus = () => {
      const heading = main.current?.querySelector("h1");
      (heading ?? main.current)?.focus({ preventScroll: true });
    };
    // A page that loads what it shows gets its heading later, or another one: until somebody does something, a focus
    // that nothing holds goes to the heading.
    const observer = new MutationObserver(() => {
      const held = document.activeElement;
      if ((held === document.body || held === main.current) && main.current?.querySelector("h1")) focus();
    });
    const rest = () => observer.disconnect();
    // Not when the address changes: a page that is still being loaded has no heading yet.
    const unsubscribe = router.subscribe("onRendered", ({ pathChanged, fromLocation }) => {
      if (!pathChanged || fromLocation === undefined || main.current === null) return;
      main.current.scrollTo({ top: 0 });
      focus();
      observer.observe(main.current, { childList: true, subtree: true });
    });
    window.addEventListener("keydown", rest, true);
    window.addEventListener("pointerdown", rest, true);
    return () => {
      unsubscribe();
      rest();
      window.removeEventListener("keydown", rest, true);
      window.removeEventListener("pointerdown", rest, true);
    };
  }, [router, main]);
}
