// A short word about what the pointer or the focus is on. Never the only place where something is said.

import { Tooltip as Base } from "@base-ui/react/tooltip";
import type { ReactElement, ReactNode } from "react";

export const TooltipProvider = Base.Provider;

export function Tooltip({ children, content }: { children: ReactElement; content: ReactNode }) {
  return (
    <Base.Root>
      <Base.Trigger render={children} />
      <Base.Portal>
        <Base.Positioner sideOffset={6} className="z-50">
          <Base.Popup className="max-w-72 rounded-md bg-ink px-2 py-1 text-bg text-xs shadow-float transition-opacity data-[ending-style]:opacity-0 data-[starting-style]:opacity-0">
            {content}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
