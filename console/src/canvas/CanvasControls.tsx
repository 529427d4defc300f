// Buttons on the canvas: nearer, farther, everything, tidy.

import { Panel, useReactFlow } from "@xyflow/react";
import { Maximize, Minus, Plus, WandSparkles } from "lucide-react";
import { useShortcuts } from "~/components/shortcuts";
import { flows as text } from "~/text/en/flows";
import { IconButton } from "~/ui/Button";
import { useEditorStore } from "./editor";

const NOWHERE = new Map();
/** Below this zoom a press doubles or halves it. */
const WIDE_BELOW = 0.6;
const WIDE = 2;

interface ControlsProps {
  readOnly: boolean;
  onFit: () => void;
  /** The view is about to be moved. */
  onZoom: () => void;
}

export function CanvasControls({ readOnly, onFit, onZoom }: ControlsProps) {
  const { zoomIn, zoomOut, zoomTo, getZoom } = useReactFlow();
  const store = useEditorStore();
  const zoom = (by: typeof zoomIn, times: number) => () => {
    onZoom();
    // From far away a few presses lead to where steps can be read, and back.
    const next = getZoom() * times;
    if (next < WIDE_BELOW) void zoomTo(next);
    else void by();
  };
  const tidy = () => {
    store.getState().move(NOWHERE);
    // After the steps stand where they belong.
    requestAnimationFrame(() => requestAnimationFrame(onFit));
  };
  useShortcuts("page", [
    { keys: "f", label: text.canvas.shortcuts.fit, run: onFit },
    { keys: "t", label: text.canvas.shortcuts.tidy, run: tidy },
  ]);
  return (
    <Panel position="bottom-left" className="!m-2 flex gap-0.5 rounded-md border border-line bg-surface p-0.5">
      <IconButton icon={Plus} label={text.canvas.zoomIn} size="sm" onClick={zoom(zoomIn, WIDE)} />
      <IconButton icon={Minus} label={text.canvas.zoomOut} size="sm" onClick={zoom(zoomOut, 1 / WIDE)} />
      <IconButton icon={Maximize} label={text.canvas.fit} size="sm" onClick={onFit} />
      {readOnly ? null : <IconButton icon={WandSparkles} label={text.canvas.tidy} size="sm" onClick={tidy} />}
    </Panel>
  );
}
