// A flow on the canvas and in its text, with what can be done with it. Used for saved flows and for new ones.

import { useBlocker } from "@tanstack/react-router";
import { ReactFlowProvider } from "@xyflow/react";
import { Ellipsis, Play, Redo2, Save, Undo2 } from "lucide-react";
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from "react";
import type { LoadedFlow } from "~/api/documents";
import { DocumentView } from "~/canvas/DocumentView";
import { type FlowDocument, view as viewDocument } from "~/canvas/document";
import { createEditor, documentOf, EditorContext, isDirty, useEditor, useEditorStore, viewOf } from "~/canvas/editor";
import { FlowCanvas } from "~/canvas/FlowCanvas";
import { FlowPanel } from "~/canvas/FlowPanel";
import type { Facts } from "~/canvas/facts";
import { type Drafts, keepDrafts, readInputs } from "~/canvas/inputs";
import { raise } from "~/canvas/operations";
import { PlanView } from "~/canvas/PlanView";
import { loadPositions } from "~/canvas/positions";
import { RunDialog } from "~/canvas/RunDialog";
import { StepPalette } from "~/canvas/StepPalette";
import { StepPanel } from "~/canvas/StepPanel";
import { Page } from "~/components/Page";
import { flows as text } from "~/text/en/flows";
import { Badge } from "~/ui/Badge";
import { Button, IconButton } from "~/ui/Button";
import { Confirm } from "~/ui/Dialog";
import { Link } from "~/ui/Link";
import { Menu, type MenuAction } from "~/ui/Menu";
import { Splitter } from "~/ui/Splitter";
import { Tabs } from "~/ui/Tabs";
import { CheckState } from "./CheckState";
import { ConflictDialog } from "./ConflictDialog";
import { download } from "./files";
import { TakenDialog } from "./TakenDialog";
import { localStore, telling } from "./telling";
import { useFacts } from "./useFacts";
import { useSaving } from "./useSaving";

export type EditorView = "canvas" | "document" | "plan";

export interface FlowEditorProps {
  localId: string | null;
  /** What is opened, and as what it was saved. */
  document: FlowDocument;
  saved: LoadedFlow | null;
  view: EditorView;
  onView: (view: EditorView) => void;
  /** The step that is shown. */
  node: string | undefined;
  onNode: (key: string | undefined) => void;
  running: boolean;
  onRunning: (running: boolean) => void;
  onStarted: (runId: string) => void;
  /** It was saved for the first time, or as a copy. */
  onCreated: (flow: LoadedFlow, thenRun: boolean) => void;
  onReload: () => void;
  /** What else can be done with a saved flow. */
  actions?: readonly MenuAction[];
}

export function FlowEditor(props: FlowEditorProps) {
  const { localId, document, saved, node } = props;
  const [store] = useState(() => {
    const name = localId ?? "new";
    const editor = createEditor(document, saved?.document ?? null, loadPositions(localStore, name), telling(name));
    if (node !== undefined && viewDocument(document).byKey.has(node)) editor.getState().select([node]);
    return editor;
  });
  return (
    <EditorContext value={store}>
      <ReactFlowProvider>
        <Opened {...props} />
      </ReactFlowProvider>
    </EditorContext>
  );
}

function Opened(props: FlowEditorProps) {
  const {
    localId,
    saved,
    view,
    onView,
    onNode,
    running,
    onRunning,
    onStarted,
    onCreated,
    onReload,
    actions = [],
  } = props;
  const store = useEditorStore();
  const flow = useEditor(viewOf);
  const document = useEditor(documentOf);
  const dirty = useEditor(isDirty);
  const saving = useSaving(store, localId, saved);
  const { facts, check, plan, isSettled } = useFacts(document);
  const drafts = useDrafts(flow.inputs);

  /** It was to be run once it is saved, when saving asked something first. */
  const [wantsRun, setWantsRun] = useState(false);
  const onSaved = (loaded: LoadedFlow, thenRun: boolean) => {
    if (localId === null) onCreated(loaded, thenRun);
    else if (thenRun) onRunning(true);
  };
  const save = async (thenRun: boolean) => {
    setWantsRun(thenRun);
    const loaded = dirty || localId === null ? await saving.save() : saved;
    if (loaded !== null) onSaved(loaded, thenRun);
  };
  useEditorKeys(() => void save(false));
  useNodeInAddress(onNode);
  const leaving = useLeaving();

  const more: MenuAction[] = [
    {
      label: flow.version > 1 ? text.page.isGraph : text.page.toGraph,
      disabled: flow.version > 1,
      onSelect: () => void store.getState().change((now) => raise(now, "asked")),
    },
    { label: text.savedFlows.exportYaml, separated: true, onSelect: () => download(document, "yaml") },
    { label: text.savedFlows.exportJson, onSelect: () => download(document, "json") },
    ...actions,
  ];

  return (
    <Page
      fill
      title={
        <>
          <span className="min-w-0 truncate">{flow.name || flow.id || text.create.title}</span>
          <Badge title={flow.version > 1 ? text.page.graphHint : text.page.chainHint}>
            {flow.version > 1 ? text.page.graph : text.page.chain}
          </Badge>
        </>
      }
      windowTitle={flow.name || text.create.title}
      above={[
        <Link key="flows" to="/flows">
          {text.savedFlows.title}
        </Link>,
      ]}
      lead={
        <CheckState
          check={check}
          isSettled={isSettled}
          facts={facts}
          state={localId === null ? text.page.unsavedNew : dirty ? text.page.unsaved : text.page.saved}
          onShow={(key) => {
            onView("canvas");
            store.getState().select(key === undefined ? [] : [key]);
          }}
        />
      }
      actions={
        <>
          <Undoing />
          <Button
            icon={Save}
            title={text.page.saveHint}
            busy={saving.isSaving}
            disabled={!dirty && localId !== null}
            onClick={() => void save(false)}
          >
            {text.page.save}
          </Button>
          <Button variant="primary" icon={Play} disabled={saving.isSaving} onClick={() => void save(true)}>
            {dirty || localId === null ? text.page.saveAndRun : text.page.run}
          </Button>
          <Menu trigger={<IconButton icon={Ellipsis} label={text.page.more} variant="secondary" />} actions={more} />
        </>
      }
    >
      {saving.theirs !== null && !saving.conflict ? (
        <p
          role="status"
          className="mx-4 mb-2 flex items-center gap-3 rounded-md bg-wait-soft px-3 py-1.5 text-sm sm:mx-6"
        >
          <span className="flex-1">{text.page.changed}</span>
          <Button size="sm" onClick={() => (dirty ? saving.setConflict(true) : onReload())}>
            {text.page.changedLoad}
          </Button>
        </p>
      ) : null}
      <Tabs
        fill
        label={text.page.tabsLabel}
        value={view}
        onValueChange={onView}
        className="border-line border-t"
        tabs={[
          { value: "canvas", label: text.page.tabs.canvas, content: <CanvasTab facts={facts} localId={localId} /> },
          { value: "document", label: text.page.tabs.document, content: <DocumentView /> },
          {
            value: "plan",
            label: text.page.tabs.plan,
            content: <PlanView plan={plan.data} error={plan.error} onShow={() => onView("canvas")} />,
          },
        ]}
      />
      {localId === null ? null : (
        <RunDialog
          open={running}
          onOpenChange={onRunning}
          localId={localId}
          flow={flow}
          drafts={drafts.drafts}
          onDrafts={drafts.setDrafts}
          onStarted={onStarted}
        />
      )}
      <TakenDialog
        saving={saving}
        id={flow.id}
        isNew={localId === null}
        onSaved={(loaded) => onSaved(loaded, wantsRun)}
      />
      <ConflictDialog saving={saving} onReload={onReload} onCopied={(loaded) => onCreated(loaded, false)} />
      <Confirm
        open={leaving.asks}
        onOpenChange={(open) => open || leaving.stay()}
        title={text.page.leave.title}
        action={text.page.leave.action}
        danger
        onConfirm={leaving.leave}
      >
        {text.page.leave.body}
      </Confirm>
    </Page>
  );
}

interface CanvasProps {
  facts: Facts;
  localId: string | null;
}

function CanvasTab({ facts, localId }: CanvasProps) {
  const broken = useEditor((editor) => editor.broken);
  return (
    <div className="flex h-full min-h-0 flex-col">
      {broken ? (
        <p role="status" className="bg-bad-soft px-3 py-1.5 text-bad text-sm">
          {text.page.textBroken}
        </p>
      ) : (
        <StepPalette />
      )}
      <Splitter
        name="flow"
        initial={66}
        first={<FlowCanvas facts={facts} readOnly={broken} />}
        second={
          <div className="min-h-0 flex-1 overflow-y-auto bg-surface">
            <Selected facts={facts} localId={localId} />
          </div>
        }
      />
    </div>
  );
}

function Selected({ facts, localId }: CanvasProps): ReactNode {
  const flow = useEditor(viewOf);
  const selected = useEditor((editor) => editor.steps);
  const broken = useEditor((editor) => editor.broken);
  const [key] = selected;
  const step = selected.size === 1 && key !== undefined ? flow.byKey.get(key) : undefined;
  return (
    <fieldset disabled={broken} className="min-w-0">
      {selected.size > 1 ? (
        <div className="p-3 text-sm">
          <p className="font-semibold">{text.step.many(selected.size)}</p>
          <p className="text-ink-2">{text.step.manyBody}</p>
        </div>
      ) : step ? (
        <StepPanel step={step} facts={facts} />
      ) : (
        <FlowPanel facts={facts} localId={localId} />
      )}
    </fieldset>
  );
}

function Undoing() {
  const store = useEditorStore();
  const canUndo = useEditor((editor) => editor.history.past.length > 0 || editor.broken);
  const canRedo = useEditor((editor) => editor.history.future.length > 0);
  return (
    <span className="flex">
      <IconButton icon={Undo2} label={text.page.undo} disabled={!canUndo} onClick={() => store.getState().undo()} />
      <IconButton icon={Redo2} label={text.page.redo} disabled={!canRedo} onClick={() => store.getState().redo()} />
    </span>
  );
}

/** Values typed for a run, for as long as the page is open. An input that became another one begins anew. */
function useDrafts(declared: Readonly<Record<string, unknown>>) {
  const [drafts, setDrafts] = useState<Drafts>({});
  const before = useRef(declared);
  useEffect(() => {
    if (before.current === declared) return;
    const [old, now] = [readInputs(before.current), readInputs(declared)];
    before.current = declared;
    setDrafts((held) => keepDrafts(held, old, now));
  }, [declared]);
  return { drafts, setDrafts };
}

/** Keys that need a modifier; the others are the palette's. */
function useEditorKeys(save: () => void): void {
  const store = useEditorStore();
  const press = useEffectEvent((event: KeyboardEvent) => {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    const key = event.key.toLowerCase();
    if (key === "s") {
      event.preventDefault();
      save();
      return;
    }
    // A field has its own undo.
    const target = event.composedPath()[0];
    if (target instanceof HTMLElement && (target.isContentEditable || target.matches("input, textarea"))) return;
    const act = key === "z" ? (event.shiftKey ? "redo" : "undo") : key === "y" ? "redo" : undefined;
    if (act === undefined) return;
    event.preventDefault();
    store.getState()[act]();
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent) => press(event);
    window.addEventListener("keydown", listen);
    return () => window.removeEventListener("keydown", listen);
  }, []);
}

/** The shown step has an address. */
function useNodeInAddress(onNode: (key: string | undefined) => void): void {
  const shown = useEditor((editor) => (editor.steps.size === 1 ? [...editor.steps][0] : undefined));
  const told = useEffectEvent(onNode);
  const before = useRef(shown);
  useEffect(() => {
    if (before.current === shown) return;
    before.current = shown;
    told(shown);
  }, [shown]);
}

/** Asks before changes are lost: on the way to another page, and when the window is closed. */
function useLeaving() {
  const store = useEditorStore();
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty(store.getState()) && current.pathname !== next.pathname,
    enableBeforeUnload: () => isDirty(store.getState()),
    withResolver: true,
  });
  return {
    asks: blocker.status === "blocked",
    stay: () => blocker.reset?.(),
    leave: () => blocker.proceed?.(),
  };
}
