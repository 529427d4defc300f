// The canvas: exactly the steps and edges that run. Draws what the editor holds and turns gestures and keys into
// operations; while a step is being dragged only this component knows where it is.

import {
  applyNodeChanges,
  Background,
  BackgroundVariant,
  type Connection,
  type Edge as DrawnEdge,
  type EdgeChange,
  MarkerType,
  MiniMap,
  type NodeChange,
  Panel,
  Position,
  ReactFlow,
  useReactFlow,
} from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import "./canvas.css";
import { type DragEvent, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { flows as text } from "~/text/en/flows";
import { CanvasControls } from "./CanvasControls";
import type { FlowView } from "./document";
import { BulkEdges } from "./edges/BulkEdges";
import { LaneEdge } from "./edges/LaneEdge";
import { type Lane, lanes } from "./edges/lanes";
import { useEditor, useEditorStore, viewOf } from "./editor";
import type { Facts } from "./facts";
import { FarView } from "./far/FarView";
import { useKeeping } from "./far/useKeeping";
import { type Edge, edges as edgesOf, wouldCycle } from "./graph";
import { KINDS, type Kind } from "./kinds";
import { NODE_HEIGHT, NODE_WIDTH, type Places } from "./layout";
import { StepNode, type StepNodeType } from "./nodes/StepNode";
import { addStep, connect, disconnect, remove, setField } from "./operations";
import { useFitting } from "./useFitting";
import { usePlaces } from "./usePlaces";

const NODE_TYPES = { step: StepNode };
const EDGE_TYPES = { lane: LaneEdge };
const DELETE_KEYS = ["Delete", "Backspace"];
const FIT = { padding: 0.2, maxZoom: 1 };
/** Below this zoom small texts cannot be read and are not painted. */
const FAR = 0.45;
const ZOOM_MIN = 0.02;
/** Above this many steps what moves with the canvas is kept simple: see `edges/BulkEdges.tsx`. */
const LARGE = 200;
const HANDLE = 10;

/** What a drag from the palette carries. */
export const KIND_MIME = "application/x-segue-kind";

// Given instead of measured, so that what is outside of the window need not be drawn to have edges.
const HANDLES: NonNullable<StepNodeType["handles"]> = [
  {
    type: "target",
    position: Position.Left,
    x: -HANDLE / 2,
    y: (NODE_HEIGHT - HANDLE) / 2,
    width: HANDLE,
    height: HANDLE,
  },
  {
    type: "source",
    position: Position.Right,
    x: NODE_WIDTH - HANDLE / 2,
    y: (NODE_HEIGHT - HANDLE) / 2,
    width: HANDLE,
    height: HANDLE,
  },
];

const MEASURED = { width: NODE_WIDTH, height: NODE_HEIGHT };

export function FlowCanvas({ facts, readOnly = false }: { facts: Facts; readOnly?: boolean }) {
  const store = useEditorStore();
  const flow = useEditor(viewOf);
  const moved = useEditor((editor) => editor.history.present.moved);
  const selected = useEditor((editor) => editor.steps);
  const edge = useEditor((editor) => editor.edge);
  const places = usePlaces(flow, moved);
  const wanted = useNodes(flow, places, selected, facts);
  const isLarge = flow.steps.length > LARGE;
  const { edges, bulk } = useEdges(flow, edge, selected, isLarge, places);
  const [nodes, setNodes] = useState(wanted);
  const around = useRef<HTMLDivElement>(null);
  const { screenToFlowPosition } = useReactFlow();
  useEffect(() => setNodes(wanted), [wanted]);
  useReveal(selected, places);
  const keeps = useKeeping(flow.steps.length, FAR) && isLarge;
  const { hold, fit } = useFitting(around, places, FIT);

  const nodesChanged = useCallback(
    (changes: NodeChange<StepNodeType>[]) => {
      const chosen = changes.filter((change) => change.type === "select");
      if (chosen.length > 0) {
        const next = new Set(store.getState().steps);
        for (const change of chosen) {
          if (change.selected) next.add(change.id);
          else next.delete(change.id);
        }
        // Choosing an edge gives up the chosen steps; that is no reason to give up the edge.
        store.getState().select(next, next.size === 0 ? store.getState().edge : null);
      }
      const positions = changes.filter((change) => change.type === "position");
      if (positions.length === 0) return;
      hold();
      setNodes((drawn) => applyNodeChanges(positions, drawn));
      const ended = positions.filter((change) => change.dragging === false && change.position);
      if (ended.length === 0) return;
      const now = new Map(places);
      for (const { id, position } of ended) if (position) now.set(id, position);
      store.getState().move(now, `move ${ended.map(({ id }) => id).join()}`);
    },
    [store, places, hold],
  );

  const edgesChanged = useCallback(
    (changes: EdgeChange[]) => {
      for (const change of changes) {
        if (change.type !== "select") continue;
        const { edge: held, steps, select } = store.getState();
        if (change.selected) select([], change.id);
        else if (held === change.id) select(steps, null);
      }
    },
    [store],
  );

  const connected = useCallback(
    ({ source, target }: Connection) => {
      store.getState().change((document) => connect(document, source, target));
    },
    [store],
  );

  const drop = (event: DragEvent) => {
    const kind = KINDS.find((known) => known === event.dataTransfer.getData(KIND_MIME));
    if (kind === undefined) return;
    event.preventDefault();
    hold();
    const at = screenToFlowPosition({ x: event.clientX, y: event.clientY });
    dropStep(store, kind, places, { x: at.x - NODE_WIDTH / 2, y: at.y - NODE_HEIGHT / 2 });
  };

  return (
    <div ref={around} data-large={isLarge} className="h-full min-h-0 w-full">
      <ReactFlow
        aria-label={text.canvas.label}
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        onNodesChange={nodesChanged}
        onEdgesChange={edgesChanged}
        onConnect={connected}
        isValidConnection={(wish) => !wouldCycle(viewOf(store.getState()), wish.source, wish.target)}
        onBeforeDelete={async ({ nodes: gone, edges: cut }) => {
          takeOut(
            store,
            gone.map((node) => node.id),
            cut.map((one) => one.id),
          );
          return false;
        }}
        onMove={(_, { zoom }) => {
          if (around.current) around.current.dataset.far = String(zoom < FAR);
        }}
        onMoveStart={(event) => {
          if (event !== null) hold();
        }}
        onDragOver={(event) => {
          if (!event.dataTransfer.types.includes(KIND_MIME)) return;
          event.preventDefault();
          event.dataTransfer.dropEffect = "copy";
        }}
        onDrop={drop}
        nodesDraggable={!readOnly}
        nodesConnectable={!readOnly}
        deleteKeyCode={readOnly ? null : DELETE_KEYS}
        onlyRenderVisibleElements={!keeps}
        elevateNodesOnSelect={false}
        fitView
        fitViewOptions={FIT}
        minZoom={ZOOM_MIN}
        maxZoom={2}
        colorMode="light"
      >
        {isLarge ? (
          <>
            <BulkEdges edges={bulk} places={places} />
            <FarView nodes={nodes} edges={bulk} below={FAR} onMove={hold} />
          </>
        ) : (
          <>
            <Background variant={BackgroundVariant.Dots} gap={20} size={1} />
            <MiniMap
              pannable
              zoomable
              ariaLabel={text.canvas.minimap}
              className="!hidden lg:!block"
              nodeColor={minimapColour}
            />
          </>
        )}
        <CanvasControls readOnly={readOnly} onFit={fit} onZoom={hold} />
        {flow.steps.length === 0 ? (
          <Panel position="top-center" className="!mt-16 text-center text-sm">
            <p className="font-semibold">{text.canvas.empty}</p>
            <p className="text-ink-2">{text.canvas.emptyBody}</p>
          </Panel>
        ) : null}
      </ReactFlow>
    </div>
  );
}

function minimapColour(node: StepNodeType): string {
  if (node.data.problem !== null) return "var(--bad)";
  return node.selected ? "var(--accent)" : "var(--ink-3)";
}

type Store = ReturnType<typeof useEditorStore>;

function dropStep(store: Store, kind: Kind, places: Places, at: { x: number; y: number }): void {
  if (store.getState().add((document) => addStep(document, kind, null)) !== null) return;
  const [key] = store.getState().steps;
  if (key !== undefined) store.getState().move(new Map([...places, [key, at]]), `drop ${key}`);
}

/** The keys go to a step on the canvas, or to the canvas if that step is not in sight. */
export function focusStep(key: string): void {
  const canvas = document.querySelector(".react-flow");
  const step = canvas?.querySelector<HTMLElement>(`.react-flow__node[data-id="${CSS.escape(key)}"]`);
  (step ?? canvas?.querySelector<HTMLElement>(".react-flow__pane"))?.focus({ preventScroll: true });
}

/** Steps with their edges, or edges alone. */
export function takeOut(store: Store, steps: readonly string[], edges: readonly string[]): void {
  if (steps.length > 0) {
    store.getState().change((document) => remove(document, steps));
    return;
  }
  for (const id of edges) {
    const edge = edgesOf(viewOf(store.getState())).find((one) => one.id === id);
    if (edge === undefined) continue;
    store
      .getState()
      .change((document) =>
        edge.kind === "repair"
          ? setField(document, edge.source, ["repair"], undefined)
          : disconnect(document, edge.source, edge.target),
      );
  }
}

/** Nodes as they are to be drawn. One whose parts are the same is the same object, and is not drawn again. */
function useNodes(flow: FlowView, places: Places, selected: ReadonlySet<string>, facts: Facts): StepNodeType[] {
  const [drawn] = useState(() => new Map<string, StepNodeType>());
  return useMemo(() => {
    const nodes = flow.steps.map((step): StepNodeType => {
      const known = drawn.get(step.key);
      const about = facts.steps.get(step.key);
      const data = {
        step,
        executor: about?.executor ?? "",
        isBound: about?.isBound ?? true,
        writes: about?.writes ?? false,
        problem: about?.problem ?? null,
      };
      const position = places.get(step.key) ?? { x: 0, y: 0 };
      const isSelected = selected.has(step.key);
      if (
        known?.data.step === step &&
        known.data.executor === data.executor &&
        known.data.isBound === data.isBound &&
        known.data.writes === data.writes &&
        known.data.problem === data.problem &&
        known.position === position &&
        known.selected === isSelected
      )
        return known;
      return {
        id: step.key,
        type: "step",
        position,
        data,
        selected: isSelected,
        width: NODE_WIDTH,
        height: NODE_HEIGHT,
        measured: MEASURED,
        handles: HANDLES,
        ariaLabel: text.canvas.node(
          step.key,
          step.kind ? text.kinds[step.kind] : text.unknownKind(step.type),
          step.title || step.key,
        ),
      };
    });
    drawn.clear();
    for (const node of nodes) drawn.set(node.id, node);
    return nodes;
  }, [flow, places, selected, facts, drawn]);
}

const ARROW = { type: MarkerType.ArrowClosed, width: 16, height: 16 };

interface Edges {
  /** One by one: they can be selected and cut. */
  readonly edges: DrawnEdge[];
  /** All others, of a large flow. */
  readonly bulk: readonly Edge[];
}

function useEdges(
  flow: FlowView,
  chosen: string | null,
  steps: ReadonlySet<string>,
  isLarge: boolean,
  places: Places,
): Edges {
  const all = useMemo(() => edgesOf(flow), [flow]);
  const around = useMemo(
    () =>
      lanes(
        places,
        all.map(({ kind, ...edge }) => ({ ...edge, back: kind === "repair" })),
      ),
    [places, all],
  );
  const [near, bulk] = useMemo(() => {
    if (!isLarge) return [all, NO_EDGES];
    const isNear = ({ id, source, target, kind }: Edge) =>
      kind === "repair" || id === chosen || steps.has(source) || steps.has(target);
    return [all.filter(isNear), all.filter((edge) => !isNear(edge))];
  }, [all, isLarge, chosen, steps]);
  const drawn = useMemo(() => near.map((edge) => draw(edge, around.get(edge.id))), [near, around]);
  const edges = useMemo(
    () => drawn.map((edge) => (edge.id === chosen ? { ...edge, selected: true } : edge)),
    [drawn, chosen],
  );
  return { edges, bulk };
}

const NO_EDGES: readonly Edge[] = [];

function draw({ id, source, target, kind }: Edge, lane: Lane | undefined): DrawnEdge {
  return {
    id,
    source,
    target,
    ...(lane === undefined ? {} : { type: "lane", data: { lane, way: "right", back: kind === "repair" } }),
    className: kind,
    markerEnd: ARROW,
    ariaLabel: kind === "repair" ? text.canvas.repairEdge(source, target) : text.canvas.edge(source, target),
  };
}

/** Brings a step into sight that was selected somewhere else. */
function useReveal(selected: ReadonlySet<string>, places: Places): void {
  const { getViewport, setCenter, getNodes } = useReactFlow();
  const [only] = selected.size === 1 ? selected : [];
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when the selection changes; a drag must not be followed
  useEffect(() => {
    const at = only === undefined ? undefined : places.get(only);
    const pane = document.querySelector(".react-flow");
    if (at === undefined || pane === null || getNodes().length === 0) return;
    const { x, y, zoom } = getViewport();
    const { width, height } = pane.getBoundingClientRect();
    const [left, top] = [at.x * zoom + x, at.y * zoom + y];
    const isSeen = left >= 0 && top >= 0 && left + NODE_WIDTH * zoom <= width && top + NODE_HEIGHT * zoom <= height;
    if (!isSeen) void setCenter(at.x + NODE_WIDTH / 2, at.y + NODE_HEIGHT / 2, { zoom: Math.max(zoom, FAR) });
  }, [only]);
}
