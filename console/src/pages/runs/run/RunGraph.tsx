// The flow of a Run as it was admitted, each node in the state of the moment. Only what is in view is drawn, and only
// what changed is drawn again.

import "@xyflow/react/dist/style.css";
import "~/canvas/canvas.css";
import "./run.css";
import {
  Background,
  BackgroundVariant,
  Controls,
  type Edge,
  Handle,
  MarkerType,
  MiniMap,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useStore,
} from "@xyflow/react";
import { memo, useMemo, useRef } from "react";
import { LaneEdge } from "~/canvas/edges/LaneEdge";
import { lanes, type Way } from "~/canvas/edges/lanes";
import { arrange, NODE_HEIGHT, NODE_WIDTH, type Places } from "~/canvas/layout";
import { useFitting } from "~/canvas/useFitting";
import { useTheme } from "~/components/theme";
import { run as text } from "~/text/en/run";
import { StateIcon, stateLabel } from "~/ui/Badge";
import { cx } from "~/ui/cx";
import { TONE_FILL, toneOf } from "~/ui/tones";
import { type RunGraph as Graph, type Handoff, handoffs, type RunNode } from "./graph";
import { KIND_ICONS, kindLabel } from "./kinds";
import { isSettled, type Moment, type NodeMoment } from "./replay";

interface RunGraphProps {
  graph: Graph;
  moment: Moment;
  selected: string | undefined;
  onSelect: (nodeId: string | undefined) => void;
}

/** About the room that the graph has, for the choice of its way. */
const ROOM = { width: 860, height: 600 };

/** From left to right or from top to bottom, whichever is shown larger. */
function best(keys: readonly string[], links: readonly Handoff[]): { places: Places; way: Way } {
  const right = arrange(keys, links, "right");
  const down = arrange(keys, links, "down");
  return zoomOf(down) > zoomOf(right) * 1.05 ? { places: down, way: "down" } : { places: right, way: "right" };
}

function zoomOf(places: Places): number {
  const points = [...places.values()];
  const span = (values: number[], size: number) => Math.max(...values) - Math.min(...values) + size;
  if (points.length === 0) return 1;
  const width = span(
    points.map((point) => point.x),
    NODE_WIDTH,
  );
  const height = span(
    points.map((point) => point.y),
    NODE_HEIGHT,
  );
  return Math.min(1, ROOM.width / width, ROOM.height / height);
}

type CardData = {
  node: RunNode;
  moment: NodeMoment | undefined;
  selected: boolean;
  way: Way;
};

type Card = Node<CardData, "card">;

/** States of a node to which nothing was handed. */
const UNTOUCHED: ReadonlySet<string> = new Set(["pending", "unreached"]);

const NODE_TYPES = { card: memo(CardView) };
const EDGE_TYPES = { lane: LaneEdge };
const FIT = { padding: 0.15, maxZoom: 1 };
/** Below this zoom no word can be read, and a node is a box in the colour of its state. */
const FAR = 0.4;
/** Above this many nodes a small map helps more than it hides. */
const MAP_FROM = 12;

export default function RunGraph(props: RunGraphProps) {
  return (
    <ReactFlowProvider>
      <Drawn {...props} />
    </ReactFlowProvider>
  );
}

function Drawn({ graph, moment, selected, onSelect }: RunGraphProps) {
  useTheme();
  const around = useRef<HTMLElement>(null);
  const isFar = useStore(({ transform: [, , zoom] }) => zoom < FAR);
  const links = useMemo(() => handoffs(graph), [graph]);
  const { places, way } = useMemo(() => {
    const keys = graph.nodes.map((node) => node.id);
    const forward = links.filter((link) => !link.repair);
    return best(keys, forward);
  }, [graph, links]);
  const ways = useMemo(
    () =>
      lanes(
        places,
        links.map((link) => ({ ...link, id: idOf(link), back: link.repair })),
        way,
      ),
    [places, links, way],
  );
  const { hold, fit } = useFitting(around, places, FIT);
  const kept = useRef(new Map<string, Card>());

  const nodes = graph.nodes.map((node): Card => {
    const now = moment.nodes.get(node.id);
    const before = kept.current.get(node.id);
    const isSelected = node.id === selected;
    if (
      before !== undefined &&
      before.data.node === node &&
      before.data.moment === now &&
      before.data.selected === isSelected
    ) {
      return before;
    }
    const card: Card = {
      id: node.id,
      type: "card",
      position: places.get(node.id) ?? { x: 0, y: 0 },
      width: NODE_WIDTH,
      height: NODE_HEIGHT,
      data: { node, moment: now, selected: isSelected, way },
    };
    kept.current.set(node.id, card);
    return card;
  });

  const edges = useMemo(
    () =>
      links.map((link): Edge => {
        const { source, target, repair } = link;
        const lane = ways.get(idOf(link));
        const state = moment.nodes.get(target)?.state;
        const reached = moment.nodes.get(source);
        const done = reached !== undefined && isSettled(reached.state) && state !== undefined && !UNTOUCHED.has(state);
        return {
          id: idOf(link),
          source,
          target,
          ...(lane === undefined
            ? { type: "smoothstep", pathOptions: BENDS }
            : { type: "lane", data: { lane, way, back: repair } }),
          ...(repair ? { markerEnd: ARROW } : {}),
          animated: state === "running" && !repair,
          focusable: false,
          className: cx(repair && "repair", done && !repair && "done"),
        };
      }),
    [links, ways, way, moment],
  );

  return (
    <section
      ref={around}
      aria-label={text.graph}
      data-afar={isFar || undefined}
      className="run-graph h-72 w-full lg:h-full"
    >
      <ReactFlow
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        onMoveStart={(event) => {
          if (event !== null) hold();
        }}
        // A press of the button in a node arrives here as well.
        onNodeClick={(_, card) => onSelect(card.id)}
        onPaneClick={() => onSelect(undefined)}
        fitView
        fitViewOptions={FIT}
        minZoom={0.02}
        maxZoom={1.6}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        elementsSelectable={false}
        onlyRenderVisibleElements
      >
        <Background variant={BackgroundVariant.Dots} gap={20} size={1} />
        <Controls showInteractive={false} fitViewOptions={FIT} onFitView={fit} onZoomIn={hold} onZoomOut={hold} />
        {graph.nodes.length >= MAP_FROM ? (
          <MiniMap
            className="!hidden lg:!block"
            pannable
            zoomable
            nodeColor={(card) => `var(--${toneOf((card as Card).data.moment?.state ?? "pending")})`}
          />
        ) : null}
      </ReactFlow>
    </section>
  );
}

/** How far an edge goes straight on before it turns: twice that has to fit between two rows, or it turns back. */
const BENDS = { offset: 12 };
const ARROW = { type: MarkerType.ArrowClosed, width: 16, height: 16 };

function idOf({ source, target, repair }: Handoff): string {
  return `${source}>${target}${repair ? " repair" : ""}`;
}

function CardView({ data }: NodeProps<Card>) {
  const { node, moment, selected, way } = data;
  const state = moment?.state ?? "pending";
  const Icon = KIND_ICONS[node.kind] ?? KIND_ICONS.default;
  const notes = [
    ...(moment !== undefined && moment.round > 1 ? [`${text.node.facts.round} ${moment.round}`] : []),
    ...(moment !== undefined && moment.items > 0 ? [`${text.node.facts.items} ${moment.items}`] : []),
    ...(node.session === null ? [] : [node.session]),
  ];
  return (
    <>
      <Handle
        type="target"
        position={way === "right" ? Position.Left : Position.Top}
        className="run-handle"
        isConnectable={false}
      />
      <button
        type="button"
        aria-pressed={selected}
        data-tone={toneOf(state)}
        className={cx(
          "run-card nopan relative flex h-full w-full overflow-hidden rounded-lg border bg-surface text-left transition-colors",
          selected ? "border-accent ring-2 ring-accent" : "border-line-strong hover:border-ink-3",
          UNTOUCHED.has(state) || state === "skipped" ? "opacity-75" : null,
        )}
      >
        <span aria-hidden className={cx("run-tone w-1 shrink-0", TONE_FILL[toneOf(state)])} />
        <span className="run-words flex min-w-0 flex-1 flex-col justify-center gap-0.5 px-3">
          <span className="flex items-center gap-1.5 text-ink-3 text-2xs">
            {Icon === undefined ? null : <Icon aria-hidden className="size-3" />}
            {kindLabel(node.kind)}
          </span>
          <span className="truncate font-semibold text-sm">{node.title}</span>
          <span className="flex items-center gap-1.5 text-ink-2 text-xs">
            <StateIcon state={state} className="size-3.5" />
            {stateLabel(state)}
            {notes.length === 0 ? null : <span className="truncate text-ink-3">· {notes.join(" · ")}</span>}
          </span>
        </span>
      </button>
      <Handle
        type="source"
        position={way === "right" ? Position.Right : Position.Bottom}
        className="run-handle"
        isConnectable={false}
      />
    </>
  );
}
