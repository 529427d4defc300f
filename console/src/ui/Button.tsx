// Buttons, and links that look like them.

import { createLink } from "@tanstack/react-router";
import { LoaderCircle, type LucideIcon } from "lucide-react";
import type { AnchorHTMLAttributes, ButtonHTMLAttributes, Ref } from "react";
import { cx } from "./cx";

export type ButtonVariant = "primary" | "secondary" | "ghost" | "danger";
export type ButtonSize = "sm" | "md";

const VARIANTS: Readonly<Record<ButtonVariant, string>> = {
  primary: "bg-accent text-on-accent hover:bg-accent-hover",
  secondary: "border border-line-strong bg-surface text-ink hover:bg-hover",
  ghost: "text-ink-2 hover:bg-hover hover:text-ink",
  danger: "border border-line-strong bg-surface text-bad hover:bg-bad-soft",
};

const SIZES: Readonly<Record<ButtonSize, string>> = {
  sm: "h-7 gap-1.5 px-2 text-xs",
  md: "h-8 gap-1.5 px-3 text-sm",
};

export function buttonClass(variant: ButtonVariant = "secondary", size: ButtonSize = "md"): string {
  return cx(
    "inline-flex shrink-0 select-none items-center justify-center whitespace-nowrap rounded-md font-medium transition-colors",
    "disabled:pointer-events-none disabled:opacity-50",
    VARIANTS[variant],
    SIZES[size],
  );
}

interface Look {
  variant?: ButtonVariant;
  size?: ButtonSize;
  icon?: LucideIcon;
}

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement>, Look {
  /** Something is under way: the button cannot be pressed again and says so. */
  busy?: boolean;
  ref?: Ref<HTMLButtonElement>;
}

export function Button({ variant, size, icon, busy = false, disabled, className, children, ...rest }: ButtonProps) {
  const Icon = busy ? LoaderCircle : icon;
  return (
    <button
      type="button"
      aria-busy={busy || undefined}
      disabled={disabled === true || busy}
      className={cx(buttonClass(variant, size), className)}
      {...rest}
    >
      {Icon === undefined ? null : <Icon aria-hidden className={cx("size-3.5", busy && "animate-spin")} />}
      {children}
    </button>
  );
}

interface IconButtonProps extends Omit<ButtonProps, "children" | "icon"> {
  icon: LucideIcon;
  /** Read aloud, and shown as the title. */
  label: string;
}

export function IconButton({
  icon: Icon,
  label,
  variant = "ghost",
  size = "md",
  busy,
  className,
  ...rest
}: IconButtonProps) {
  const Shown = busy === true ? LoaderCircle : Icon;
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      aria-busy={busy || undefined}
      className={cx(
        "inline-flex shrink-0 items-center justify-center rounded-md transition-colors",
        "disabled:pointer-events-none disabled:opacity-50",
        VARIANTS[variant],
        size === "sm" ? "size-7" : "size-8",
        className,
      )}
      {...rest}
      disabled={rest.disabled === true || busy === true}
    >
      <Shown aria-hidden className={cx("size-4", busy === true && "animate-spin")} />
    </button>
  );
}

interface AnchorProps extends AnchorHTMLAttributes<HTMLAnchorElement>, Look {
  ref?: Ref<HTMLAnchorElement>;
}

function ButtonAnchor({ variant, size, icon: Icon, className, children, ...rest }: AnchorProps) {
  return (
    <a className={cx(buttonClass(variant, size), className)} {...rest}>
      {Icon === undefined ? null : <Icon aria-hidden className="size-3.5" />}
      {children}
    </a>
  );
}

/** A link to a page that looks like a button. */
export const ButtonLink = createLink(ButtonAnchor);
