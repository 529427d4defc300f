// A link to a page of the console, as it stands in text and tables.

import { createLink } from "@tanstack/react-router";
import type { AnchorHTMLAttributes, Ref } from "react";
import { cx } from "./cx";

interface AnchorProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  ref?: Ref<HTMLAnchorElement>;
  /** Takes the clicks of the whole row or card around it, which must be `relative`. */
  stretched?: boolean;
}

function Anchor({ className, stretched = false, children, ...rest }: AnchorProps) {
  return (
    <a
      className={cx(
        "rounded-sm font-medium text-ink underline decoration-transparent underline-offset-2 hover:text-accent hover:decoration-current",
        stretched && "after:absolute after:inset-0 after:content-['']",
        className,
      )}
      data-row-link={stretched || undefined}
      {...rest}
    >
      {children}
    </a>
  );
}

export const Link = createLink(Anchor);
