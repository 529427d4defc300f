// The frozen flow of a Run as nodes and hand-offs. Reads what the definition holds and guesses nothing.

import type { RunSummary } from "~/api/types";

export interface RunNode {
  readonly id: string;
  readonly kind: string;
  readonly title: string;
  readonly instruction: string | null;
  readonly from: readonly string[];
  readonly executor: { readonly executor_id: string; readonly version: string } | null;
  readonly effects: readonly string[];
  readonly session: string | null;
  readonly question: Question | null;
  /** What else the definition says of it, under its own names. */
  readonly rules: readonly (readonly [name: string, value: unknown])[];
}

/** What a person is asked. */
export interface Question {
  readonly options: readonly { readonly id: string; readonly label: string }[];
  /** A JSON Schema; null when there is nothing to fill in. */
  readonly form: Record<string, unknown> | null;
}

export interface RunGraph {
  readonly title: string;
  readonly nodes: readonly RunNode[];
}

export interface Handoff {
  readonly source: string;
  readonly target: string;
  /** A rejected evaluation goes back this way. */
  readonly repair: boolean;
}

const RULES = ["when", "for_each", "retry", "timeout_seconds", "deadline", "repair", "on_uncertain", "subflow"];

/** From the definition that the Run was admitted with. */
export function readGraph(definition: unknown): RunGraph {
  const flow = record(definition);
  const nodes = Array.isArray(flow.nodes) ? flow.nodes.map(record).map(readNode) : [];
  return { title: text(flow.title) ?? text(flow.flow_id) ?? "", nodes };
}

/** What a node is called; one that is not there goes by its id. */
export function titleIn(graph: RunGraph | undefined): (nodeId: string) => string {
  return (id) => graph?.nodes.find((node) => node.id === id)?.title ?? id;
}

/** Of a Run whose flow cannot be had: the nodes that its summary names, in their order. */
export function outlineOf(run: RunSummary): RunGraph {
  const nodes = run.node_order.map((id): RunNode => {
    const kind = run.node_types[id] ?? "";
    return {
      id,
      kind,
      title: id,
      instruction: null,
      from: [],
      executor: null,
      effects: [],
      session: null,
      question: null,
      rules: [],
    };
  });
  return { title: run.flow_id, nodes };
}

export function handoffs(graph: RunGraph): Handoff[] {
  const ids = new Set(graph.nodes.map((node) => node.id));
  const forward = graph.nodes.flatMap((node) =>
    node.from.map((source): Handoff => ({ source, target: node.id, repair: false })),
  );
  const back = graph.nodes.flatMap((node): Handoff[] => {
    const repair = node.rules.find(([name]) => name === "repair")?.[1];
    const target = text(record(repair).from);
    return target === null ? [] : [{ source: node.id, target, repair: true }];
  });
  return [...forward, ...back].filter(({ source, target }) => ids.has(source) && ids.has(target));
}

function readNode(node: Record<string, unknown>): RunNode {
  const executor = record(node.executor);
  const id = text(node.node_id) ?? "";
  return {
    id,
    kind: text(node.kind) ?? "",
    title: text(node.title) ?? id,
    instruction: text(node.instruction),
    from: readFrom(node.input_from),
    executor:
      text(executor.executor_id) === null
        ? null
        : { executor_id: String(executor.executor_id), version: text(executor.version) ?? "" },
    effects: Array.isArray(node.effects) ? node.effects.filter((effect) => typeof effect === "string") : [],
    session: text(node.session_group),
    question: readQuestion(node.human),
    rules: RULES.filter((name) => node[name] !== undefined && node[name] !== null).map((name) => [name, node[name]]),
  };
}

function readFrom(from: unknown): string[] {
  if (typeof from === "string") return [from];
  return Array.isArray(from) ? from.filter((id) => typeof id === "string") : [];
}

function readQuestion(human: unknown): Question | null {
  if (typeof human !== "object" || human === null) return null;
  const { options, form } = record(human);
  const choices = Array.isArray(options) ? options.map(record) : [];
  return {
    options: choices.map((option) => ({ id: String(option.id), label: text(option.label) ?? String(option.id) })),
    form: typeof form === "object" && form !== null ? record(form) : null,
  };
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function text(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}
