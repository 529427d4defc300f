// The shape of what is being loaded.

import { common as text } from "~/text/en/common";
import { cx } from "./cx";

export function Skeleton({ className }: { className?: string }) {
  return <div aria-hidden className={cx("animate-pulse rounded-sm bg-hover", className ?? "h-4 w-full")} />;
}

/** Lines of text that are being loaded; read aloud as such. */
export function SkeletonLines({ lines = 4 }: { lines?: number }) {
  return (
    <div role="status" aria-label={text.table.loading} className="flex flex-col gap-2.5 p-3">
      {Array.from({ length: lines }, (_, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines without content have nothing else
        <Skeleton key={at} className={at % 3 === 2 ? "h-3.5 w-2/3" : "h-3.5 w-full"} />
      ))}
    </div>
  );
}
