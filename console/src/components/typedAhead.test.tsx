import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { useTypedAhead } from "./typedAhead";

function Window({ open, ready }: { open: boolean; ready: boolean }) {
  const typed = useTypedAhead(open);
  // As a palette reads it: once, when it is first shown.
  return ready ? <Field typed={typed.current} /> : null;
}

function Field({ typed }: { typed: string }) {
  return <input cmdk-input="" aria-label="Find" defaultValue={typed} />;
}

test("what is typed before the field is there stands in it, and what follows goes into it", async () => {
  const user = userEvent.setup();
  const { rerender } = render(<Window open={false} ready={false} />);
  await user.keyboard("lost");
  rerender(<Window open ready={false} />);
  await user.keyboard("rux{Backspace}");
  rerender(<Window open ready />);
  const field = screen.getByRole<HTMLInputElement>("textbox", { name: "Find" });
  expect(field.value).toBe("ru");
  await user.keyboard("{End}");
  expect(document.activeElement).toBe(field);
  await user.keyboard("ns");
  expect(field.value).toBe("runs");
  rerender(<Window open={false} ready={false} />);
  rerender(<Window open ready={false} />);
  rerender(<Window open ready />);
  expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Find" }).value).toBe("");
});
