// What the components of the kit need around them.

import { CSPProvider } from "@base-ui/react/csp-provider";
import type { ReactNode } from "react";
import { Toasts } from "~/ui/Toast";
import { TooltipProvider } from "~/ui/Tooltip";

export function Kit({ children }: { children: ReactNode }) {
  return (
    // The content security policy lets no `<style>` element in; what the kit would put there stands in app.css.
    <CSPProvider disableStyleElements>
      <TooltipProvider delay={400}>
        {children}
        <Toasts />
      </TooltipProvider>
    </CSPProvider>
  );
}
