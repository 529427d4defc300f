// A table that can be sorted and walked through by keyboard, and that says what it is when it is loading, empty or
// broken. The first link of a row, with `stretched`, takes the clicks of the whole row; arrow keys go from row to row.

import { ArrowDown, ArrowUp } from "lucide-react";
import { type KeyboardEvent, type ReactNode, useMemo, useState } from "react";
import { common as text } from "~/text/en/common";
import { Button } from "./Button";
import { cx } from "./cx";
import { ErrorNotice } from "./ErrorNotice";
import { Skeleton } from "./Skeleton";
import { compareKeys, type SortKey } from "./sort";

export interface Column<Row> {
  id: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** By what the rows are sorted when this column is chosen; without it the column cannot be. */
  sort?: (row: Row) => SortKey;
  align?: "left" | "right";
  /** Classes of its cells: a width, or `hidden sm:table-cell` for what a narrow screen can do without. */
  className?: string;
}

interface TableProps<Row> {
  /** Read aloud. */
  label: string;
  columns: readonly Column<Row>[];
  /** `undefined` while they are loading. */
  rows: readonly Row[] | undefined;
  getKey: (row: Row) => string;
  /** Shown when there is no row. */
  empty: ReactNode;
  error?: unknown;
  onRetry?: () => void;
  /** There are more rows, and how to get them. */
  more?: { load: () => void; loading: boolean } | undefined;
  /** Marks rows, such as the selected one. */
  isMarked?: (row: Row) => boolean;
}

interface Sorting {
  column: string;
  descending: boolean;
}

const SKELETON_ROWS = [0, 1, 2, 3, 4];

export function Table<Row>(props: TableProps<Row>) {
  const { label, columns, rows, getKey, empty, error, onRetry, more, isMarked } = props;
  const [sorting, setSorting] = useState<Sorting | null>(null);
  const sorted = useMemo(() => sortRows(rows, columns, sorting), [rows, columns, sorting]);

  if (error !== undefined && error !== null && rows === undefined) {
    return (
      <div className="p-3">
        <ErrorNotice error={error} {...(onRetry === undefined ? {} : { onRetry })} />
      </div>
    );
  }
  if (sorted !== undefined && sorted.length === 0) return empty;

  const choose = (column: string) =>
    setSorting((held) => {
      if (held?.column !== column) return { column, descending: false };
      return held.descending ? null : { column, descending: true };
    });

  return (
    <div className="min-w-0 overflow-x-auto">
      <table
        aria-label={label}
        aria-busy={sorted === undefined}
        className="w-full border-collapse text-sm"
        onKeyDown={walk}
      >
        <thead>
          <tr className="border-line border-b text-ink-3 text-xs">
            {columns.map((column) => (
              <HeaderCell key={column.id} column={column} sorting={sorting} onSort={choose} />
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted === undefined
            ? SKELETON_ROWS.map((row) => (
                <tr key={row} className="border-line border-b last:border-0">
                  {columns.map((column) => (
                    <td key={column.id} className={cx("px-3 py-2.5", column.className)}>
                      <Skeleton className="h-3.5 w-3/4" />
                    </td>
                  ))}
                </tr>
              ))
            : sorted.map((row) => (
                <tr
                  key={getKey(row)}
                  className={cx(
                    "relative border-line border-b last:border-0 focus-within:bg-hover hover:bg-hover",
                    isMarked?.(row) === true && "bg-accent-soft",
                  )}
                >
                  {columns.map((column) => (
                    <td
                      key={column.id}
                      className={cx("px-3 py-2", column.align === "right" && "text-right", column.className)}
                    >
                      {column.cell(row)}
                    </td>
                  ))}
                </tr>
              ))}
        </tbody>
      </table>
      {more === undefined ? null : (
        <div className="flex justify-center border-line border-t p-2">
          <Button variant="ghost" size="sm" busy={more.loading} onClick={more.load}>
            {more.loading ? text.table.moreLoading : text.table.more}
          </Button>
        </div>
      )}
    </div>
  );
}

interface HeaderCellProps<Row> {
  column: Column<Row>;
  sorting: Sorting | null;
  onSort: (column: string) => void;
}

function HeaderCell<Row>({ column, sorting, onSort }: HeaderCellProps<Row>) {
  const chosen = sorting?.column === column.id;
  const direction = chosen ? (sorting.descending ? "descending" : "ascending") : undefined;
  const Arrow = direction === "descending" ? ArrowDown : ArrowUp;
  return (
    <th
      scope="col"
      aria-sort={direction}
      className={cx(
        "whitespace-nowrap px-3 py-1.5 font-medium",
        column.align === "right" ? "text-right" : "text-left",
        column.className,
      )}
    >
      {column.sort === undefined ? (
        column.header
      ) : (
        <button
          type="button"
          title={text.table.sortBy(column.header)}
          onClick={() => onSort(column.id)}
          className="inline-flex items-center gap-1 rounded-sm hover:text-ink"
        >
          {column.header}
          <Arrow aria-hidden className={cx("size-3", !chosen && "opacity-0")} />
        </button>
      )}
    </th>
  );
}

function sortRows<Row>(
  rows: readonly Row[] | undefined,
  columns: readonly Column<Row>[],
  sorting: Sorting | null,
): readonly Row[] | undefined {
  const by = columns.find((column) => column.id === sorting?.column)?.sort;
  if (rows === undefined || sorting === null || by === undefined) return rows;
  const sign = sorting.descending ? -1 : 1;
  return [...rows].sort((left, right) => sign * compareKeys(by(left), by(right)));
}

const STEPS: Readonly<Record<string, "nextElementSibling" | "previousElementSibling">> = {
  ArrowDown: "nextElementSibling",
  ArrowUp: "previousElementSibling",
};

/** Arrow keys move the focus to the link of the next or previous row. */
function walk(event: KeyboardEvent<HTMLTableElement>): void {
  const step = STEPS[event.key];
  const target = event.target as HTMLElement;
  if (step === undefined || target.matches("input, textarea, select")) return;
  let row = target.closest("tr")?.[step] ?? null;
  while (row !== null) {
    const link = row.querySelector<HTMLElement>("[data-row-link], a, button");
    if (link !== null) {
      event.preventDefault();
      link.focus();
      return;
    }
    row = row[step];
  }
}
