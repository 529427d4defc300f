// Changes of a document's tree that share what stays the same. Only this file and `document.ts` know the YAML library.

import { type Document, isAlias, isMap, isScalar, isSeq, type Node, Pair, Scalar, YAMLMap, YAMLSeq } from "yaml";
import { type FlowDocument, rootOf } from "./document";

type Path = readonly [string, ...string[]];

/** Where new members are put among those that are there. Others go to the end. */
const ORDERS = {
  document: ["schema_version", "id", "name", "description", "inputs", "steps"],
  step: [
    "id",
    "type",
    "from",
    "prompt",
    "session_group",
    "when",
    "for_each",
    "retry",
    "timeout_seconds",
    "deadline",
    "repair",
    "on_uncertain",
    "params",
  ],
} as const;

/** Sets a member of the document, or takes it away with `undefined`. */
export function setMember(document: FlowDocument, path: Path, value: unknown): FlowDocument {
  return withRoot(document, (root, tree) => setPath(root, path, value, tree, ORDERS.document));
}

/** Gives an input another name and leaves it where it is. */
export function renameMember(document: FlowDocument, parent: string, from: string, to: string): FlowDocument {
  return withRoot(document, (root, tree) => {
    const pair = findPair(root, parent);
    const map = solid(pair?.value, tree);
    if (!pair || !isMap(map)) return;
    const copy = shallow(map);
    const renamed = findPair(copy, from);
    if (renamed) replacePair(copy, renamed, new Pair(keeping(renamed.key, to, tree), renamed.value));
    replacePair(root, pair, new Pair(pair.key, copy));
  });
}

/** Changes of the list of steps. The list is the caller's own; its items are not. */
export class Steps {
  constructor(
    private readonly items: unknown[],
    private readonly tree: Document,
  ) {}

  set(index: number, path: Path, value: unknown): void {
    const node = solid(this.items[index], this.tree);
    if (!isMap(node)) return;
    const copy = shallow(node);
    setPath(copy, path, value, this.tree, ORDERS.step);
    this.items[index] = copy;
  }

  insert(index: number, members: Readonly<Record<string, unknown>>): void {
    const node = this.tree.createNode(members);
    if (isMap(node)) node.flow = false;
    this.items.splice(index, 0, node);
  }

  remove(index: number): void {
    this.items.splice(index, 1);
  }
}

export function editSteps(document: FlowDocument, edit: (steps: Steps) => void): FlowDocument {
  return withRoot(document, (root, tree) => {
    const pair = findPair(root, "steps");
    const known = solid(pair?.value, tree);
    const list = isSeq(known) ? shallow(known) : new YAMLSeq(tree.schema);
    edit(new Steps(list.items, tree));
    list.flow = list.items.length === 0;
    if (pair) replacePair(root, pair, new Pair(pair.key, list));
    else insertPair(root, new Pair(new Scalar("steps"), list), ORDERS.document);
  });
}

function withRoot(document: FlowDocument, edit: (root: YAMLMap, tree: Document) => void): FlowDocument {
  const tree = shallow(document.tree);
  const root = shallow(rootOf(document));
  edit(root, tree);
  tree.contents = root;
  return { tree };
}

function setPath(map: YAMLMap, path: Path, value: unknown, tree: Document, order: readonly string[]): void {
  const [name, ...rest] = path;
  const pair = findPair(map, name);
  if (isNonEmpty(rest)) {
    const inner = solid(pair?.value, tree);
    if (!isMap(inner) && value === undefined) return;
    const copy = isMap(inner) ? shallow(inner) : new YAMLMap(tree.schema);
    setPath(copy, rest, value, tree, []);
    copy.flow = copy.items.length === 0 || (copy.flow ?? false);
    if (pair) replacePair(map, pair, new Pair(pair.key, copy));
    else insertPair(map, new Pair(new Scalar(name), copy), order);
    // What was only there to hold the member that is gone goes with it.
    if (copy.items.length === 0 && value === undefined && order.length > 0)
      setPath(map, [name], undefined, tree, order);
    return;
  }
  if (value === undefined) {
    if (pair) map.items.splice(map.items.indexOf(pair), 1);
  } else if (pair) {
    replacePair(map, pair, new Pair(pair.key, keeping(pair.value, value, tree)));
  } else {
    insertPair(map, new Pair(new Scalar(name), tree.createNode(value)), order);
  }
}

function isNonEmpty(path: readonly string[]): path is Path {
  return path.length > 0;
}

/** A new value that keeps the comments around the old one. */
function keeping(old: unknown, value: unknown, tree: Document): Node {
  const node = tree.createNode(value) as Node;
  const known = isScalar(old) || isMap(old) || isSeq(old) ? old : undefined;
  if (known) {
    const { comment, commentBefore, spaceBefore } = known;
    Object.assign(node, { comment, commentBefore, spaceBefore });
  }
  return node;
}

/** What an alias stands for; others stand for themselves. */
function solid(node: unknown, tree: Document): unknown {
  return isAlias(node) ? node.resolve(tree) : node;
}

function findPair(map: YAMLMap, name: string): Pair | undefined {
  return map.items.find((pair) => (isScalar(pair.key) ? pair.key.value : pair.key) === name);
}

function replacePair(map: YAMLMap, old: Pair, fresh: Pair): void {
  map.items[map.items.indexOf(old)] = fresh;
}

function insertPair(map: YAMLMap, pair: Pair, order: readonly string[]): void {
  const rank = (one: Pair) => order.indexOf(String(isScalar(one.key) ? one.key.value : one.key));
  const own = rank(pair);
  const after = own === -1 ? -1 : map.items.findIndex((other) => rank(other) > own);
  map.items.splice(after === -1 ? map.items.length : after, 0, pair);
}

/** Another object of the same class with the same members, and a list of items of its own. */
function shallow<T extends object>(thing: T): T {
  const copy = Object.create(Object.getPrototypeOf(thing), Object.getOwnPropertyDescriptors(thing)) as T;
  if ("items" in copy && Array.isArray(copy.items)) Object.assign(copy, { items: [...copy.items] });
  return copy;
}
