// JSON as a tree. Only what is open is drawn, long lists and texts in parts, so that any size can be looked at.

import { ChevronRight } from "lucide-react";
import { memo, useState } from "react";
import { common as text } from "~/text/en/common";
import { CopyButton } from "./CopyButton";
import { cx } from "./cx";

/** Entries of one level that are drawn at once. */
const ENTRIES = 100;
/** Characters of one text that are drawn at once. */
const CHARACTERS = 600;

interface JsonViewProps {
  value: unknown;
  /** What it is; read aloud. */
  label: string;
  /** Levels that are open at first. */
  open?: number;
}

export function JsonView({ value, label, open = 2 }: JsonViewProps) {
  return (
    <figure
      aria-label={label}
      className="group relative min-w-0 rounded-md bg-sunken px-2 py-1.5 font-mono text-xs leading-5"
    >
      <div className="absolute top-1 right-1 opacity-0 focus-within:opacity-100 group-hover:opacity-100">
        <CopyButton value={JSON.stringify(value, null, 2)} />
      </div>
      <Value name={null} value={value} open={open} />
    </figure>
  );
}

interface ValueProps {
  name: string | null;
  value: unknown;
  open: number;
}

const Value = memo(function Value({ name, value, open }: ValueProps) {
  if (typeof value === "object" && value !== null) return <Branch name={name} value={value} open={open} />;
  return (
    <div className="min-w-0 pl-4">
      <Name name={name} />
      <Leaf value={value} />
    </div>
  );
});

function Name({ name }: { name: string | null }) {
  if (name === null) return null;
  return (
    <>
      <span className="text-ink-2">{name}</span>
      <span className="text-ink-3">: </span>
    </>
  );
}

function Branch({ name, value, open }: ValueProps & { value: object }) {
  const [isOpen, setOpen] = useState(open > 0);
  const [shown, setShown] = useState(ENTRIES);
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  const [before, after] = isList ? ["[", "]"] : ["{", "}"];
  if (entries.length === 0) {
    return (
      <div className="min-w-0 pl-4">
        <Name name={name} />
        <span className="text-ink-3">{before + after}</span>
      </div>
    );
  }
  return (
    <div className="min-w-0">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="inline-flex max-w-full items-center rounded-sm text-left hover:bg-hover"
      >
        <ChevronRight
          aria-hidden
          className={cx("mr-0.5 size-3.5 shrink-0 text-ink-3 transition-transform", isOpen && "rotate-90")}
        />
        <span className="sr-only">{isOpen ? text.json.collapse : text.json.expand} </span>
        <Name name={name} />
        <span className="text-ink-3">
          {before}
          {isOpen ? null : ` ${text.json.entries(entries.length)} ${after}`}
        </span>
      </button>
      {isOpen ? (
        <div className="ml-[6px] border-line border-l pl-1.5">
          {entries.slice(0, shown).map(([key, entry]) => (
            <Value key={key} name={key} value={entry} open={open - 1} />
          ))}
          {entries.length > shown ? (
            <button
              type="button"
              onClick={() => setShown(shown + ENTRIES)}
              className="pl-4 text-accent hover:underline"
            >
              {text.json.more(entries.length - shown)}
            </button>
          ) : null}
        </div>
      ) : null}
    </div>
  );
}

function Leaf({ value }: { value: unknown }) {
  const [whole, setWhole] = useState(false);
  if (typeof value !== "string") {
    return <span className={cx(value === null ? "text-ink-3" : "text-run")}>{String(value)}</span>;
  }
  const long = value.length > CHARACTERS;
  return (
    <>
      <span className="whitespace-pre-wrap break-words text-ok">
        {long && !whole ? `"${value.slice(0, CHARACTERS)}…` : `"${value}"`}
      </span>
      {long ? (
        <button type="button" onClick={() => setWhole(!whole)} className="ml-1 text-accent hover:underline">
          {whole ? text.actions.showLess : text.actions.showAll}
        </button>
      ) : null}
    </>
  );
}
