// A flow's document as the editor holds it: an immutable tree that keeps everything it was read from (unknown members,
// order, comments, numbers as they were written), and the view of it that the canvas draws. Knows the two texts of a
// document, YAML and JSON; what may be changed in it is in `operations.ts`.

import { type Document, isAlias, isMap, isScalar, isSeq, type Node, parseDocument, visit, type YAMLMap } from "yaml";
import { type Kind, kindOf } from "./kinds";

export type Format = "yaml" | "json";

/** Never changed in place: an operation returns another one that shares what stayed the same. */
export interface FlowDocument {
  readonly tree: Document;
}

export interface TextProblem {
  readonly message: string;
  /** From 1. */
  readonly line: number;
  readonly column: number;
}

export type Parsed =
  | { readonly ok: true; readonly document: FlowDocument }
  | { readonly ok: false; readonly problems: readonly TextProblem[] };

/** One step as it is drawn and shown. */
export interface Step {
  /** Names the step on the canvas: its id if no earlier step has it. */
  readonly key: string;
  readonly index: number;
  readonly id: string;
  readonly kind: Kind | undefined;
  /** As written, also when it is no kind. */
  readonly type: string;
  readonly title: string;
  readonly from: readonly string[];
  /** `from` is a list: the step receives an object of outputs by id. */
  readonly gathers: boolean;
  readonly capabilityId: string | undefined;
  readonly prompt: string | undefined;
  /** All of its members. */
  readonly members: Readonly<Record<string, unknown>>;
}

export interface FlowView {
  /** 1 for a chain, 2 for a graph; a newer one is shown as it is and not edited. */
  readonly version: number;
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly steps: readonly Step[];
  readonly byKey: ReadonlyMap<string, Step>;
}

/** Characters of a document's text: more than anybody draws. What is sent has a smaller bound, in `api/documents.ts`. */
export const TEXT_MAX = 4_000_000;

const OPTIONS = { intAsBigInt: true, version: "1.2", schema: "core", uniqueKeys: true } as const;

const EMPTY_TEXT = 'schema_version: 1\nid: my-flow\nname: My flow\ndescription: ""\ninputs: {}\nsteps: []\n';

export function emptyDocument(): FlowDocument {
  return { tree: parseDocument(EMPTY_TEXT, OPTIONS) };
}

/** Reads either text. A problem has its place, so that the editor can point at it. */
export function parse(text: string, format: Format): Parsed {
  if (text.length > TEXT_MAX) return refuse(`The document is longer than ${TEXT_MAX} characters.`);
  // Every JSON text is YAML, but for tabs, which in JSON can only be white space.
  const source = format === "json" ? text.replaceAll("\t", "  ") : text;
  if (format === "json") {
    const problem = jsonProblem(text);
    if (problem) return { ok: false, problems: [problem] };
  }
  const tree = parseDocument(source, OPTIONS);
  if (tree.errors.length > 0) {
    const problems = tree.errors.map((error) => ({
      message: error.message.split("\n")[0]?.replace(/ at line \d+, column \d+:?$/, "") ?? error.code,
      line: error.linePos?.[0].line ?? 1,
      column: error.linePos?.[0].col ?? 1,
    }));
    return { ok: false, problems };
  }
  if (!isMap(tree.contents)) return refuse('A flow must be an object with "steps".');
  if (hasNoJson(tree)) return refuse("Only what JSON can hold: no infinities, and text as names.");
  if (format === "json") loosen(tree);
  return { ok: true, document: { tree } };
}

function refuse(message: string): Parsed {
  return { ok: false, problems: [{ message, line: 1, column: 1 }] };
}

function jsonProblem(text: string): TextProblem | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const at = Number(/position (\d+)/.exec(message)?.[1] ?? text.length);
    const before = text.slice(0, at).split("\n");
    return { message, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  }
}

function hasNoJson(tree: Document): boolean {
  let found = false;
  visit(tree, {
    Scalar(key, node) {
      const isName = key === "key";
      const isText = typeof node.value === "string";
      const isInfinite = typeof node.value === "number" && !Number.isFinite(node.value);
      if ((isName && !isText) || isInfinite) {
        found = true;
        return visit.BREAK;
      }
      return undefined;
    },
  });
  return found;
}

/** What came as JSON is written as YAML that people like to read: block style, quotes only where they are needed. */
function loosen(tree: Document): void {
  visit(tree, {
    Collection(_, node) {
      node.flow = node.items.length === 0;
    },
    Scalar(_, node) {
      if (typeof node.value === "string") delete node.type;
    },
  });
}

export function render(document: FlowDocument, format: Format): string {
  return format === "yaml"
    ? document.tree.toString({ lineWidth: 100, flowCollectionPadding: false })
    : `${json(document, "  ")}\n`;
}

/** The document as JSON text, with numbers as they were written: `1.0` and `1` have different hashes. */
export function json(document: FlowDocument, indent = ""): string {
  return write(document.tree.contents as Node | null, document.tree, indent, "");
}

const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

function write(node: unknown, tree: Document, indent: string, margin: string): string {
  const inner = margin + indent;
  const [open, close, colon] = indent ? [`\n${inner}`, `\n${margin}`, ": "] : ["", "", ":"];
  const list = (parts: string[], [left, right]: [string, string]) =>
    parts.length === 0 ? left + right : left + open + parts.join(`,${open}`) + close + right;
  if (isAlias(node)) return write(node.resolve(tree), tree, indent, margin);
  if (isMap(node)) {
    const members = node.items.map(
      ({ key, value }) => `${JSON.stringify(text(key))}${colon}${write(value, tree, indent, inner)}`,
    );
    return list(members, ["{", "}"]);
  }
  if (isSeq(node))
    return list(
      node.items.map((item) => write(item, tree, indent, inner)),
      ["[", "]"],
    );
  if (!isScalar(node)) return "null";
  const { value, source } = node;
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number")
    return source !== undefined && JSON_NUMBER.test(source) ? source : JSON.stringify(value);
  return JSON.stringify(value ?? null);
}

function text(key: unknown): string {
  return String(isScalar(key) ? key.value : key);
}

/** A tree's values for showing. Integers beyond 2^53 become text, so that they are shown as they are. */
export function plain(value: unknown): unknown {
  if (typeof value === "bigint") {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]));
  return value;
}

/** The document that is a member of another one, such as of a server's answer. */
export function member(document: FlowDocument, name: string): FlowDocument | undefined {
  const contents = rootOf(document).get(name, true);
  if (!isMap(contents)) return undefined;
  const tree = document.tree.clone();
  tree.contents = contents;
  return { tree };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

export function rootOf(document: FlowDocument): YAMLMap {
  return document.tree.contents as YAMLMap;
}

// Trees are never changed in place, so what was derived from one stays true. Steps that an operation left alone keep
// their identity, and whatever draws them need not draw again.
const views = new WeakMap<Document, FlowView>();
const stepViews = new WeakMap<object, Step>();

export function view(document: FlowDocument): FlowView {
  const known = views.get(document.tree);
  if (known) return known;
  const root = rootOf(document);
  const member = (name: string) => plain(toValue(root.get(name, true), document.tree));
  const version = member("schema_version");
  const inputs = member("inputs");
  const list = root.get("steps", true);
  const steps: Step[] = [];
  const byKey = new Map<string, Step>();
  for (const [index, node] of (isSeq(list) ? list.items : []).entries()) {
    const step = stepView(node, index, document.tree, byKey);
    steps.push(step);
    byKey.set(step.key, step);
  }
  const fresh: FlowView = {
    version: typeof version === "number" && Number.isInteger(version) && version > 1 ? version : 1,
    id: textOf(member("id")) ?? "",
    name: textOf(member("name")) ?? "",
    description: textOf(member("description")) ?? "",
    inputs: isRecord(inputs) ? inputs : {},
    steps,
    byKey,
  };
  views.set(document.tree, fresh);
  return fresh;
}

function stepView(node: unknown, index: number, tree: Document, taken: ReadonlyMap<string, Step>): Step {
  const known = typeof node === "object" && node !== null ? stepViews.get(node) : undefined;
  if (known && known.index === index && known.key === keyOf(known.id, index, taken)) return known;
  const value = plain(toValue(node, tree));
  const members = isRecord(value) ? value : {};
  const params = isRecord(members.params) ? members.params : {};
  const id = textOf(members.id)?.trim() ?? "";
  const prompt = textOf(members.prompt);
  const from = members.from;
  const step: Step = {
    key: keyOf(id, index, taken),
    index,
    id,
    kind: kindOf(members.type),
    type: textOf(members.type) ?? "",
    title: textOf(params.title)?.trim() || prompt?.trim() || id,
    from: Array.isArray(from) ? from.filter((one) => typeof one === "string") : textOf(from) ? [String(from)] : [],
    gathers: Array.isArray(from) && from.length > 0,
    capabilityId: textOf(params.capability_id),
    prompt,
    members,
  };
  if (typeof node === "object" && node !== null) stepViews.set(node, step);
  return step;
}

function keyOf(id: string, index: number, taken: ReadonlyMap<string, Step>): string {
  return id !== "" && !taken.has(id) ? id : `${id}#${index}`;
}

function toValue(node: unknown, tree: Document): unknown {
  if (node === undefined || node === null) return node;
  return (node as Node).toJS(tree);
}
