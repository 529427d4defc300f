// What went wrong, in place: the message, what to do about it, and a way to try again.

import { RotateCw, TriangleAlert } from "lucide-react";
import { asApiError } from "~/api/error";
import { errors as text } from "~/text/en/errors";
import { Button } from "./Button";

export function ErrorNotice({ error, onRetry, title }: { error: unknown; onRetry?: () => void; title?: string }) {
  const { message, wayOut, code } = asApiError(error);
  return (
    <div role="alert" className="flex items-start gap-3 rounded-lg bg-bad-soft px-3 py-2.5 text-sm">
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />
      <div className="min-w-0 flex-1">
        <p className="font-semibold text-bad">{title ?? text.title}</p>
        <p className="break-words">{message}</p>
        {wayOut === null ? null : <p className="text-ink-2">{wayOut}</p>}
        <p className="mt-0.5 font-mono text-ink-3 text-xs">
          {text.code} {code}
        </p>
      </div>
      {onRetry === undefined ? null : (
        <Button size="sm" icon={RotateCw} onClick={onRetry}>
          {text.retry}
        </Button>
      )}
    </div>
  );
}
