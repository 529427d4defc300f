// Windows above the page. `Dialog` holds a form; `Confirm` asks before something that cannot be taken back.

import { AlertDialog } from "@base-ui/react/alert-dialog";
import { Dialog as Base } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import type { ReactNode } from "react";
import { common as text } from "~/text/en/common";
import { Button, IconButton } from "./Button";
import { cx } from "./cx";
import { BACKDROP, POPUP } from "./popup";

const WIDTHS = { sm: "max-w-md", md: "max-w-xl", lg: "max-w-4xl" } as const;

const PLACE = "fixed inset-x-3 top-[8vh] z-50 mx-auto flex max-h-[84vh] flex-col sm:inset-x-6";

interface DialogProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  description?: ReactNode;
  children: ReactNode;
  /** Buttons, at the bottom right. */
  footer?: ReactNode;
  width?: keyof typeof WIDTHS;
}

export function Dialog({ open, onOpenChange, title, description, children, footer, width = "md" }: DialogProps) {
  return (
    <Base.Root open={open} onOpenChange={(next) => onOpenChange(next)}>
      <Base.Portal>
        <Base.Backdrop className={BACKDROP} />
        <Base.Popup className={cx(POPUP, PLACE, WIDTHS[width])}>
          <header className="flex items-start gap-3 border-line border-b px-4 py-3">
            <div className="min-w-0 flex-1">
              <Base.Title className="font-semibold text-lg">{title}</Base.Title>
              {description === undefined ? null : (
                <Base.Description render={<div />} className="mt-0.5 text-ink-2 text-sm">
                  {description}
                </Base.Description>
              )}
            </div>
            <Base.Close render={<IconButton icon={X} label={text.actions.close} size="sm" />} />
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto px-4 py-4">{children}</div>
          {footer === undefined ? null : (
            <footer className="flex flex-wrap justify-end gap-2 border-line border-t px-4 py-3">{footer}</footer>
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

interface ConfirmProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  title: string;
  children: ReactNode;
  /** What the button that does it says. */
  action: string;
  /** What the button that leaves things as they are says. */
  keep?: string;
  onConfirm: () => void;
  busy?: boolean;
  danger?: boolean;
}

export function Confirm({
  open,
  onOpenChange,
  title,
  children,
  action,
  keep = text.actions.cancel,
  onConfirm,
  busy = false,
  danger = false,
}: ConfirmProps) {
  return (
    <AlertDialog.Root open={open} onOpenChange={(next) => onOpenChange(next)}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={BACKDROP} />
        <AlertDialog.Popup className={cx(POPUP, PLACE, WIDTHS.sm)}>
          <div className="overflow-y-auto px-4 py-4">
            <AlertDialog.Title className="font-semibold text-lg">{title}</AlertDialog.Title>
            <AlertDialog.Description render={<div />} className="mt-2 text-ink-2 text-sm">
              {children}
            </AlertDialog.Description>
          </div>
          <footer className="flex justify-end gap-2 border-line border-t px-4 py-3">
            <AlertDialog.Close render={<Button>{keep}</Button>} />
            <Button variant={danger ? "danger" : "primary"} busy={busy} onClick={onConfirm}>
              {action}
            </Button>
          </footer>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
