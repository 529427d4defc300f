// One saved flow: opened once and edited from then on, so that nothing that arrives later changes it under the hand.

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { Copy, History, Trash2, Workflow } from "lucide-react";
import { useEffect, useState } from "react";
import { loadedFlow } from "~/api/documents";
import { asApiError } from "~/api/error";
import { keys } from "~/api/keys";
import { Page } from "~/components/Page";
import { flows as text } from "~/text/en/flows";
import { ButtonLink } from "~/ui/Button";
import { Empty } from "~/ui/Empty";
import { ErrorNotice } from "~/ui/ErrorNotice";
import { Link } from "~/ui/Link";
import { SkeletonLines } from "~/ui/Skeleton";
import { toast } from "~/ui/Toast";
import { handedOver, handOver, taken } from "./created";
import { DeleteFlow } from "./DeleteFlow";
import { FlowEditor, type FlowEditorProps } from "./FlowEditor";
import { duplicateFlow } from "./library";

const route = getRouteApi("/flows/$flowId");

export function FlowPage() {
  const { flowId } = route.useParams();
  return <Flow key={flowId} flowId={flowId} />;
}

function Flow({ flowId }: { flowId: string }) {
  const { view = "canvas", node } = route.useSearch();
  const navigate = useNavigate();
  const go = route.useNavigate();
  const client = useQueryClient();
  const [first] = useState(() => handedOver(flowId));
  const query = useQuery({ ...loadedFlow(flowId), ...(first === undefined ? {} : { initialData: first }) });
  const [deleting, setDeleting] = useState(false);
  useEffect(() => taken(flowId), [flowId]);

  if (query.data === undefined) {
    const gone = query.error !== null && asApiError(query.error).status === 404;
    return (
      <Page title={gone ? text.page.missing : flowId} above={[<Library key="library" />]}>
        {gone ? (
          <Empty
            icon={Workflow}
            title={text.page.missing}
            action={<ButtonLink to="/flows">{text.page.toLibrary}</ButtonLink>}
          >
            {text.page.missingBody}
          </Empty>
        ) : query.error === null ? (
          <SkeletonLines lines={8} />
        ) : (
          <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
        )}
      </Page>
    );
  }

  const { saved, document } = query.data;
  const search = (next: { view?: typeof view; node?: string | undefined }) =>
    void go({
      replace: next.view === undefined,
      search: (held) => {
        const { view: shown = "canvas", node: step } = { ...held, ...next };
        return { ...(shown === "canvas" ? {} : { view: shown }), ...(step === undefined ? {} : { node: step }) };
      },
    });
  const props: FlowEditorProps = {
    localId: flowId,
    document,
    saved: query.data,
    view: view === "run" ? "canvas" : view,
    onView: (next) => search({ view: next }),
    node,
    onNode: (key) => search({ node: key }),
    running: view === "run",
    onRunning: (running) => search({ view: running ? "run" : "canvas" }),
    onStarted: (runId) => {
      toast.done(text.run.started);
      void client.invalidateQueries({ queryKey: keys.runs.lists });
      void navigate({ to: "/runs/$runId", params: { runId } });
    },
    onCreated: (copy) => {
      handOver(copy);
      void navigate({ to: "/flows/$flowId", params: { flowId: copy.saved.flow_id }, ignoreBlocker: true });
    },
    onReload: () => void query.refetch(),
    actions: [
      {
        label: text.page.tabs.versions,
        icon: History,
        separated: true,
        onSelect: () => void navigate({ to: "/flows/$flowId/versions", params: { flowId } }),
      },
      {
        label: text.savedFlows.duplicate,
        icon: Copy,
        onSelect: () =>
          void duplicateFlow(client, flowId).then(
            (copy) => void navigate({ to: "/flows/$flowId", params: { flowId: copy.saved.flow_id } }),
            (thrown) => void toast.failed(text.savedFlows.duplicateFailed, thrown),
          ),
      },
      { label: text.savedFlows.delete, icon: Trash2, danger: true, separated: true, onSelect: () => setDeleting(true) },
    ],
  };
  return (
    <>
      <FlowEditor key={query.dataUpdatedAt} {...props} />
      <DeleteFlow
        flow={deleting ? saved : null}
        onClose={() => setDeleting(false)}
        onDeleted={() => void navigate({ to: "/flows", ignoreBlocker: true })}
      />
    </>
  );
}

function Library() {
  return <Link to="/flows">{text.savedFlows.title}</Link>;
}
