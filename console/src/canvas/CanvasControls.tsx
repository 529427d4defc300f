// Buttons on the canvas: nearer, farther, everything, tidy.

import { Panel, useReactFlow } from "@xyflow/react";
import { Maximize, Minus, Plus, WandSparkles } from "lucide-react";
import { useShortcuts } from "~/components/shortcuts";
import { flows as text } from "~/text/en/flows";
import { IconButton } from "~/ui/Button";
import { useEditorStore } from "./editor";

const NOWHERE = new Map();
const FIT = { padding: 0.2, maxZoom: 1 };

export function CanvasControls({ readOnly }: { readOnly: boolean }) {
  const { zoomIn, zoomOut, fitView } = useReactFlow();
  const store = useEditorStore();
  const fit = () => void fitView(FIT);
  const tidy = () => {
    store.getState().move(NOWHERE);
    // After the steps stand where they belong.
    requestAnimationFrame(() => requestAnimationFrame(fit));
  };
  useShortcuts("page", [
    { keys: "f", label: text.canvas.shortcuts.fit, run: fit },
    { keys: "t", label: text.canvas.shortcuts.tidy, run: tidy },
  ]);
  return (
    <Panel position="bottom-left" className="!m-2 flex gap-0.5 rounded-md border border-line bg-surface p-0.5">
      <IconButton icon={Plus} label={text.canvas.zoomIn} size="sm" onClick={() => void zoomIn()} />
      <IconButton icon={Minus} label={text.canvas.zoomOut} size="sm" onClick={() => void zoomOut()} />
      <IconButton icon={Maximize} label={text.canvas.fit} size="sm" onClick={fit} />
      {readOnly ? null : <IconButton icon={WandSparkles} label={text.canvas.tidy} size="sm" onClick={tidy} />}
    </Panel>
  );
}
