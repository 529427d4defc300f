// Puts a text on the clipboard and says so.

import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { common as text } from "~/text/en/common";
import { IconButton } from "./Button";

const SAID_MS = 1_500;

export function CopyButton({ value, label = text.actions.copy }: { value: string; label?: string }) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), SAID_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  return (
    <IconButton
      size="sm"
      icon={copied ? Check : Copy}
      label={copied ? text.actions.copied : label}
      onClick={() => void navigator.clipboard.writeText(value).then(() => setCopied(true))}
    />
  );
}
