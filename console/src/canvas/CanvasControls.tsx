// Buttons on the canvas: nearer, farther, everything, tidy.

import { Panel, useReactFlow } from "@xyflow/react";
import { Maximize, Minus, Plus, WandSparkles } from "lucide-react";
import { useShortcuts } from "~/components/shortcuts";
import { flows as text } from "~/text/en/flows";
import { IconButton } from "~/ui/Button";
import { useEditorStore } from "./editor";

const NOWHERE = new Map();

interface ControlsProps {
  readOnly: boolean;
  onFit: () => void;
  /** The view is about to be moved. */
  onZoom: () => void;
}

export function CanvasControls({ readOnly, onFit, onZoom }: ControlsProps) {
  const { zoomIn, zoomOut } = useReactFlow();
  const store = useEditorStore();
  const zoom = (by: typeof zoomIn) => () => {
    onZoom();
    void by();
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
      <IconButton icon={Plus} label={text.canvas.zoomIn} size="sm" onClick={zoom(zoomIn)} />
      <IconButton icon={Minus} label={text.canvas.zoomOut} size="sm" onClick={zoom(zoomOut)} />
      <IconButton icon={Maximize} label={text.canvas.fit} size="sm" onClick={onFit} />
      {readOnly ? null : <IconButton icon={WandSparkles} label={text.canvas.tidy} size="sm" onClick={tidy} />}
    </Panel>
  );
}
