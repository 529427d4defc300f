import { render } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useEffect } from "react";
import { expect, test } from "vitest";
import { listenForShortcuts, useShortcutRegistry, useShortcuts } from "./shortcuts";

function Scene({ pressed }: { pressed: string[] }) {
  useEffect(() => listenForShortcuts(() => 0), []);
  useShortcuts("shell", [
    { keys: "g r", label: "Go to Runs", run: () => pressed.push("runs") },
    { keys: "?", label: "Help", run: () => pressed.push("help") },
  ]);
  useShortcuts("page", [{ keys: "r", label: "Run", run: () => pressed.push("run") }]);
  return <input aria-label="Text" />;
}

test("one key and two keys are told apart, and writing is left alone", async () => {
  const user = userEvent.setup();
  const pressed: string[] = [];
  const scene = render(<Scene pressed={pressed} />);
  await user.keyboard("r");
  await user.keyboard("gr");
  await user.keyboard("?");
  scene.getByLabelText("Text").focus();
  await user.keyboard("gr?");
  expect(pressed).toEqual(["run", "runs", "help"]);
  scene.unmount();
  expect(useShortcutRegistry.getState()).toEqual({ shell: [], page: [] });
});

test("a window above the page has the keys, a notice has not", async () => {
  const user = userEvent.setup();
  const pressed: string[] = [];
  const scene = render(
    <>
      <Scene pressed={pressed} />
      <div role="dialog" aria-modal="false" aria-label="Saved" />
    </>,
  );
  await user.keyboard("r");
  scene.rerender(
    <>
      <Scene pressed={pressed} />
      <div role="dialog" aria-label="Pick" />
    </>,
  );
  await user.keyboard("r");
  expect(pressed).toEqual(["run"]);
});
