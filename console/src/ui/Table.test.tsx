import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { ApiError } from "~/api/error";
import { type Column, Table } from "./Table";

interface Row {
  id: string;
  size: number | null;
}

const COLUMNS: readonly Column<Row>[] = [
  { id: "id", header: "Name", sort: (row) => row.id, cell: (row) => <a href={`#${row.id}`}>{row.id}</a> },
  { id: "size", header: "Size", sort: (row) => row.size, cell: (row) => row.size ?? "unknown" },
];

const ROWS: readonly Row[] = [
  { id: "run-10", size: 1 },
  { id: "run-2", size: null },
  { id: "run-1", size: 30 },
];

const shown = (rows: readonly Row[] | undefined, more: Partial<Parameters<typeof Table<Row>>[0]> = {}) =>
  render(
    <Table label="Things" columns={COLUMNS} rows={rows} getKey={(row) => row.id} empty={<p>Nothing</p>} {...more} />,
  );

const names = () =>
  screen
    .getAllByRole("row")
    .slice(1)
    .map((row) => within(row).getAllByRole("cell")[0]?.textContent);

test("a column is sorted up, down, and not at all, and says which", async () => {
  const user = userEvent.setup();
  shown(ROWS);
  const sort = screen.getByRole("button", { name: "Name" });
  const header = screen.getByRole("columnheader", { name: "Name" });
  const seen = [[names(), header.getAttribute("aria-sort")]];
  for (let press = 0; press < 3; press += 1) {
    await user.click(sort);
    seen.push([names(), header.getAttribute("aria-sort")]);
  }
  expect(seen).toEqual([
    [["run-10", "run-2", "run-1"], null],
    [["run-1", "run-2", "run-10"], "ascending"],
    [["run-10", "run-2", "run-1"], "descending"],
    [["run-10", "run-2", "run-1"], null],
  ]);
});

test("what is missing is sorted last", async () => {
  const user = userEvent.setup();
  shown(ROWS);
  await user.click(screen.getByRole("button", { name: "Size" }));
  expect(names()).toEqual(["run-10", "run-1", "run-2"]);
});

test("arrow keys go from row to row and stop at the ends", async () => {
  const user = userEvent.setup();
  shown(ROWS);
  screen.getByRole("link", { name: "run-10" }).focus();
  await user.keyboard("{ArrowDown}{ArrowDown}{ArrowDown}");
  expect(document.activeElement?.textContent).toBe("run-1");
  await user.keyboard("{ArrowUp}");
  expect(document.activeElement?.textContent).toBe("run-2");
});

test("loading, empty and broken are three different things", async () => {
  const user = userEvent.setup();
  const first = shown(undefined);
  expect(screen.getByRole("table", { name: "Things" }).getAttribute("aria-busy")).toBe("true");
  first.unmount();
  const second = shown([]);
  expect(screen.getByText("Nothing")).toBeTruthy();
  second.unmount();
  const retry = vi.fn();
  shown(undefined, { error: new ApiError("no such list", "unknown", 404), onRetry: retry });
  expect(screen.getByRole("alert").textContent).toContain("no such list");
  await user.click(screen.getByRole("button", { name: "Try again" }));
  expect(retry).toHaveBeenCalledOnce();
});
