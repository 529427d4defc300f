// A new flow: from a template, a file, or nothing. It is shown on the canvas first, and saved when somebody says so.

import { useMutation, useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { FileUp, SquareDashed } from "lucide-react";
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from "react";
import { draftFlow, flowTemplates } from "~/api/documents";
import { savedFlows } from "~/api/flows";
import { emptyDocument, type FlowDocument } from "~/canvas/document";
import { idsOf, withFreeId } from "~/canvas/ids";
import { Page } from "~/components/Page";
import { PagePending } from "~/components/Standins";
import { flows } from "~/text/en/flows";
import { Button } from "~/ui/Button";
import { ErrorNotice } from "~/ui/ErrorNotice";
import { TextArea } from "~/ui/Field";
import { Link } from "~/ui/Link";
import { Panel } from "~/ui/Panel";
import { SkeletonLines } from "~/ui/Skeleton";
import { toast } from "~/ui/Toast";
import { handOver } from "./created";
import type { EditorView } from "./FlowEditor";
import { readFile } from "./files";

const FlowEditor = lazy(() => import("./FlowEditor").then((module) => ({ default: module.FlowEditor })));

const text = flows.create;
const route = getRouteApi("/flows/new");

export function NewFlowPage() {
  const { template } = route.useSearch();
  const navigate = useNavigate();
  const [chosen, setChosen] = useState<FlowDocument | null>(null);
  const [view, setView] = useState<EditorView>("canvas");
  const saved = useQuery(savedFlows());
  const taken = useMemo(() => idsOf(saved.data ?? []), [saved.data]);
  // An empty one has an id that is free, which is known once the saved ones are.
  if (chosen === null && template === "blank" && saved.isPending) return <PagePending />;
  if (chosen === null && template !== "blank")
    return (
      <Choice
        onBegun={(document) => setChosen(withFreeId(document, taken))}
        onRead={setChosen}
        fromFile={template === "file"}
      />
    );
  const document = chosen ?? withFreeId(emptyDocument(), taken);
  return (
    <Suspense fallback={<PagePending />}>
      <FlowEditor
        localId={null}
        document={document}
        saved={null}
        view={view}
        onView={setView}
        node={undefined}
        onNode={() => undefined}
        running={false}
        onRunning={() => undefined}
        onStarted={() => undefined}
        onReload={() => undefined}
        onCreated={(flow, thenRun) => {
          handOver(flow);
          void navigate({
            to: "/flows/$flowId",
            params: { flowId: flow.saved.flow_id },
            search: thenRun ? { view: "run" } : {},
            replace: true,
            ignoreBlocker: true,
          });
        }}
      />
    </Suspense>
  );
}

interface ChoiceProps {
  /** With nothing or a template, whose id is only proposed. */
  onBegun: (document: FlowDocument) => void;
  /** From a file. */
  onRead: (document: FlowDocument) => void;
  /** Somebody came for a file. */
  fromFile: boolean;
}

function Choice({ onBegun, onRead, fromFile }: ChoiceProps) {
  const templates = useQuery(flowTemplates());
  const [about, setAbout] = useState("");
  const draft = useMutation({
    mutationFn: (template: string) => draftFlow(template, about),
    onSuccess: onBegun,
    onError: (thrown) => void toast.failed(text.draftFailed, thrown),
  });
  return (
    <Page
      title={text.title}
      lead={text.lead}
      above={[
        <Link key="flows" to="/flows">
          {flows.savedFlows.title}
        </Link>,
      ]}
    >
      <Panel title={text.templates}>
        <div className="flex flex-col gap-4">
          <p className="text-ink-2 text-sm">{text.templatesLead}</p>
          <TextArea label={text.describe} hint={text.describeHint} rows={2} value={about} onValueChange={setAbout} />
          {templates.error === null ? null : (
            <ErrorNotice error={templates.error} onRetry={() => void templates.refetch()} />
          )}
          {templates.data === undefined && templates.error === null ? <SkeletonLines /> : null}
          <ul className="grid gap-3 md:grid-cols-3">
            {(templates.data ?? []).map(({ template_id: id, name, description }) => (
              <li key={id} className="flex flex-col gap-2 rounded-lg border border-line p-3">
                <h3 className="font-semibold">{name}</h3>
                <p className="flex-1 text-ink-2 text-sm">{description}</p>
                <Button
                  variant="primary"
                  className="self-start"
                  busy={draft.isPending && draft.variables === id}
                  disabled={draft.isPending}
                  onClick={() => draft.mutate(id)}
                >
                  {text.use(name)}
                </Button>
              </li>
            ))}
          </ul>
        </div>
      </Panel>
      <div className="grid gap-4 md:grid-cols-2">
        <Panel title={text.blank}>
          <div className="flex flex-col items-start gap-3">
            <p className="text-ink-2 text-sm">{text.blankBody}</p>
            <Button icon={SquareDashed} onClick={() => onBegun(emptyDocument())}>
              {text.blankUse}
            </Button>
          </div>
        </Panel>
        <FromFile onChosen={onRead} first={fromFile} />
      </div>
    </Page>
  );
}

function FromFile({ onChosen, first }: { onChosen: (document: FlowDocument) => void; first: boolean }) {
  const picker = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (first) button.current?.focus();
  }, [first]);
  const [problem, setProblem] = useState<string | null>(null);
  const read = async (file: File | undefined) => {
    if (file === undefined) return;
    const document = await readFile(file);
    if (typeof document === "string") setProblem(document);
    else onChosen(document);
  };
  return (
    <Panel title={text.file}>
      <div className="flex flex-col items-start gap-3">
        <p className="text-ink-2 text-sm">{text.fileBody}</p>
        <Button
          ref={button}
          icon={FileUp}
          variant={first ? "primary" : "secondary"}
          onClick={() => picker.current?.click()}
        >
          {text.fileUse}
        </Button>
        <input
          ref={picker}
          type="file"
          aria-label={text.fileUse}
          accept=".yaml,.yml,.json,application/yaml,application/json"
          className="sr-only"
          tabIndex={-1}
          onChange={(event) => {
            void read(event.target.files?.[0]);
            // The same file can be chosen again once it was mended.
            event.target.value = "";
          }}
        />
        {problem === null ? null : (
          <p role="alert" className="text-bad text-sm">
            {text.fileFailed} {problem}
          </p>
        )}
      </div>
    </Panel>
  );
}
