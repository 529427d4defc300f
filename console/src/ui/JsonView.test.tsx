import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { JsonView } from "./JsonView";

test("only what is open is drawn", async () => {
  const user = userEvent.setup();
  render(<JsonView label="Result" value={{ outer: { inner: { deep: "found" } } }} open={1} />);
  expect(screen.queryByText('"found"')).toBeNull();
  await user.click(screen.getByRole("button", { name: /^Expand outer/ }));
  await user.click(screen.getByRole("button", { name: /^Expand inner/ }));
  expect(screen.getByText('"found"')).toBeTruthy();
});

test("a long list is drawn in parts", async () => {
  const user = userEvent.setup();
  render(<JsonView label="Result" value={Array.from({ length: 250 }, (_, at) => at)} />);
  expect(screen.queryByText("249")).toBeNull();
  await user.click(screen.getByRole("button", { name: "150 more" }));
  await user.click(screen.getByRole("button", { name: "50 more" }));
  expect(screen.getByText("249", { selector: ".text-run" })).toBeTruthy();
});

test("a long text is cut until it is asked for", async () => {
  const user = userEvent.setup();
  const long = "x".repeat(700);
  render(<JsonView label="Result" value={long} />);
  expect(screen.queryByText(`"${long}"`)).toBeNull();
  await user.click(screen.getByRole("button", { name: "Show all" }));
  expect(screen.getByText(`"${long}"`)).toBeTruthy();
});
