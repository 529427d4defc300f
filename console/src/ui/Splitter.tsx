// Two panels side by side with a line between them that can be moved, by pointer and by arrow keys. The place of the
// line is kept in the browser. On narrow screens the panels stand one above the other.

import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from "react";
import { common as text } from "~/text/en/common";
import { readStored, store } from "./stored";

interface SplitterProps {
  /** Under this name the place of the line is kept. */
  name: string;
  first: ReactNode;
  second: ReactNode;
  /** Percent of the width that the first panel has at first. */
  initial?: number;
  label?: string;
}

const MIN = 20;
const MAX = 80;
const STEP = 2;

export function Splitter({ name, first, second, initial = 60, label = text.splitter }: SplitterProps) {
  const [share, setShare] = useState(() => bounded(Number(readStored(`split.${name}`) ?? initial), initial));
  const around = useRef<HTMLDivElement>(null);
  const move = (next: number) => {
    const held = bounded(next, initial);
    setShare(held);
    store(`split.${name}`, String(held));
  };

  const drag = (event: PointerEvent<HTMLDivElement>) => {
    const box = around.current?.getBoundingClientRect();
    if (box === undefined || box.width === 0 || !event.currentTarget.hasPointerCapture(event.pointerId)) return;
    move(((event.clientX - box.left) / box.width) * 100);
  };
  const press = (event: KeyboardEvent<HTMLDivElement>) => {
    const next = { ArrowLeft: share - STEP, ArrowRight: share + STEP, Home: MIN, End: MAX }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    move(next);
  };

  return (
    <div ref={around} className="flex min-h-0 min-w-0 flex-1 flex-col lg:flex-row">
      <div
        className="flex min-h-[24rem] min-w-0 flex-col lg:min-h-0 lg:w-[var(--share)]"
        style={{ "--share": `${share}%` } as object}
      >
        {first}
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a line between panels that has the focus is a separator, not an hr */}
      <div
        role="separator"
        tabIndex={0}
        aria-label={label}
        aria-orientation="vertical"
        aria-valuemin={MIN}
        aria-valuemax={MAX}
        aria-valuenow={Math.round(share)}
        onKeyDown={press}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
        className="hidden w-1.5 shrink-0 cursor-col-resize touch-none border-line border-x bg-sunken hover:bg-accent-soft lg:block"
      />
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">{second}</div>
    </div>
  );
}

function bounded(share: number, fallback: number): number {
  return Number.isFinite(share) ? Math.min(MAX, Math.max(MIN, share)) : fallback;
}
