// The list of all keys, those of the present page first.

import { common as text } from "~/text/en/common";
import { Dialog } from "~/ui/Dialog";
import { Kbd } from "~/ui/Kbd";
import { type Shortcut, useShortcutRegistry } from "./shortcuts";

export function ShortcutsDialog({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
  const { shell, page } = useShortcutRegistry();
  const everywhere = [{ keys: "Ctrl+K", label: text.shortcuts.palette }, ...shell];
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title={text.shortcuts.title}>
      {page.length === 0 ? null : <Group title={text.shortcuts.here} shortcuts={page} />}
      <Group title={text.shortcuts.everywhere} shortcuts={everywhere} />
    </Dialog>
  );
}

function Group({ title, shortcuts }: { title: string; shortcuts: readonly Omit<Shortcut, "run">[] }) {
  return (
    <section className="mb-4 last:mb-0">
      <h3 className="mb-1 font-semibold text-ink-2 text-xs">{title}</h3>
      <ul>
        {shortcuts.map(({ keys, label }) => (
          <li
            key={keys}
            className="flex items-center justify-between border-line border-b py-1.5 text-sm last:border-0"
          >
            {label}
            <Kbd keys={keys} />
          </li>
        ))}
      </ul>
    </section>
  );
}
