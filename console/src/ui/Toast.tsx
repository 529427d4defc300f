// Short notices at the edge of the window, read aloud. `toast` can be called from anywhere.

import { Toast as Base } from "@base-ui/react/toast";
import { CheckCircle2, Info, TriangleAlert, X } from "lucide-react";
import { asApiError, sentence } from "~/api/error";
import { common as text } from "~/text/en/common";
import { IconButton } from "./Button";
import { cx } from "./cx";
import { TONE_TEXT, type Tone } from "./tones";

const manager = Base.createToastManager();

export const toast = {
  done: (title: string, description?: string) => manager.add({ title, description, type: "done" }),
  note: (title: string, description?: string) => manager.add({ title, description, type: "note" }),
  /** An error stays until it is closed: it says what to do. */
  failed: (title: string, thrown?: unknown) => {
    const error = thrown === undefined ? null : asApiError(thrown);
    const description =
      error === null ? undefined : error.wayOut === null ? error.message : `${sentence(error.message)} ${error.wayOut}`;
    return manager.add({ title, description, type: "failed", timeout: 0, priority: "high" });
  },
};

const LOOKS: Readonly<Record<string, { icon: typeof Info; tone: Tone }>> = {
  done: { icon: CheckCircle2, tone: "ok" },
  note: { icon: Info, tone: "run" },
  failed: { icon: TriangleAlert, tone: "bad" },
};

export function Toasts() {
  return (
    <Base.Provider toastManager={manager}>
      <Base.Portal>
        <Base.Viewport className="fixed right-4 bottom-4 z-50 flex w-[min(24rem,calc(100vw-2rem))] flex-col gap-2">
          <ToastList />
        </Base.Viewport>
      </Base.Portal>
    </Base.Provider>
  );
}

function ToastList() {
  const { toasts } = Base.useToastManager();
  return toasts.map((shown) => {
    const look = LOOKS[shown.type ?? "note"] ?? { icon: Info, tone: "run" as const };
    return (
      <Base.Root
        key={shown.id}
        toast={shown}
        className="rounded-lg border border-line bg-surface p-3 shadow-float transition-opacity data-[ending-style]:opacity-0 data-[starting-style]:opacity-0"
      >
        <Base.Content className="flex items-start gap-2.5">
          <look.icon aria-hidden className={cx("mt-0.5 size-4 shrink-0", TONE_TEXT[look.tone])} />
          <div className="min-w-0 flex-1">
            <Base.Title className="font-medium text-sm" />
            <Base.Description className="mt-0.5 break-words text-ink-2 text-sm" />
          </div>
          <Base.Close render={<IconButton icon={X} label={text.actions.close} size="sm" />} />
        </Base.Content>
      </Base.Root>
    );
  });
}
