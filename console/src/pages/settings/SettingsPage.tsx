// How this Segue is set up, and how other programs reach it.

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { agents } from "~/api/capabilities";
import type { components } from "~/api/schema";
import { systemSettings, systemStatus } from "~/api/system";
import { Page } from "~/components/Page";
import { setTheme, type Theme, useTheme } from "~/components/theme";
import { common } from "~/text/en/common";
import { executor } from "~/text/en/executor";
import { settings as text } from "~/text/en/settings";
import { Badge } from "~/ui/Badge";
import { RadioGroup } from "~/ui/Choice";
import { CopyButton } from "~/ui/CopyButton";
import { ErrorNotice } from "~/ui/ErrorNotice";
import { KeyValue } from "~/ui/KeyValue";
import { Link } from "~/ui/Link";
import { Panel } from "~/ui/Panel";
import { SkeletonLines } from "~/ui/Skeleton";

type Settings = components["schemas"]["SystemSettings"];

const THEMES: readonly Theme[] = ["system", "light", "dark"];

export function SettingsPage() {
  const settings = useQuery(systemSettings());
  const status = useQuery(systemStatus());
  const known = settings.data;
  const channel = useQuery(agents());
  const found = channel.data;
  const error = settings.error ?? status.error ?? channel.error;
  const retry = () => {
    void settings.refetch();
    void status.refetch();
    void channel.refetch();
  };
  return (
    <Page title={text.title} lead={text.lead}>
      {error === null ? null : <ErrorNotice error={error} onRetry={retry} />}
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Panel title={text.places.title}>
          {known === undefined ? (
            <SkeletonLines />
          ) : (
            <KeyValue
              facts={[
                [
                  text.places.workspace,
                  <Copied key="workspace" value={known.workspace} hint={text.places.workspaceHint} />,
                ],
                [text.places.state, <Copied key="state" value={known.state_root} hint={text.places.stateHint} />],
                [text.places.project, <Copied key="id" value={known.workspace_id} />],
              ]}
            />
          )}
        </Panel>
        <Looks />
        <Panel title={text.access.title}>
          <Lead>{text.access.lead}</Lead>
          {known === undefined ? (
            <SkeletonLines />
          ) : (
            <KeyValue
              facts={[
                [text.access.address, <Copied key="address" value={`${location.origin}/`} />],
                [
                  text.access.token,
                  known.token_file === null ? text.access.noToken : <Copied key="token" value={known.token_file} />,
                ],
                [
                  text.access.example,
                  known.token_file === null ? null : (
                    <Copied
                      key="example"
                      value={`curl -H "Authorization: Bearer $(cat ${quoted(known.token_file)})" ${location.origin}/api/v1/runs`}
                    />
                  ),
                ],
                [
                  text.access.document,
                  <a key="document" href="/api/v1/openapi.json" className="underline underline-offset-2">
                    /api/v1/openapi.json
                  </a>,
                ],
              ]}
            />
          )}
        </Panel>
        <Panel title={text.mcp.title}>
          <Lead>{text.mcp.lead}</Lead>
          {known === undefined ? (
            <SkeletonLines />
          ) : (
            <KeyValue
              facts={[
                [
                  text.mcp.command,
                  <Copied key="command" value={`segue mcp --state-dir ${quoted(known.state_root)}`} />,
                ],
                [text.mcp.addLabel, <Copied key="add" value={addCommand(known)} hint={text.mcp.add} />],
              ]}
            />
          )}
        </Panel>
        <Panel title={text.executors.title}>
          {status.data === undefined ? (
            <SkeletonLines lines={3} />
          ) : (
            <KeyValue
              facts={status.data.executors.map(({ id, available }) => [
                executor.names[id],
                <Badge key={id} tone={available ? "ok" : "idle"}>
                  {available ? text.executors.available : text.executors.missing}
                </Badge>,
              ])}
            />
          )}
        </Panel>
        <Panel
          title={text.agents.title}
          actions={
            <Link to="/capabilities" search={{ tab: "agents" }} className="text-xs">
              {text.agents.all}
            </Link>
          }
        >
          {found === undefined ? (
            <SkeletonLines lines={2} />
          ) : (
            <>
              {found.nested ? <Lead>{text.agents.nested}</Lead> : null}
              <KeyValue
                facts={found.items.map(({ agent, path }) => [
                  agent,
                  <Badge key={agent} tone={path === null ? "idle" : "ok"}>
                    {path === null ? text.executors.missing : text.executors.installed}
                  </Badge>,
                ])}
              />
            </>
          )}
        </Panel>
        <Panel title={text.about.title}>
          <KeyValue
            facts={[
              [text.about.version, known?.version],
              [text.about.licence, text.about.licences],
            ]}
          />
          <p className="mt-2 text-ink-3 text-xs">{text.about.shortcuts}</p>
        </Panel>
      </div>
    </Page>
  );
}

function Looks() {
  const theme = useTheme((held) => held.theme);
  return (
    <Panel title={text.looks.title}>
      <RadioGroup
        label={text.looks.theme}
        row
        options={THEMES.map((value) => ({ value, label: common.theme[value] }))}
        value={theme}
        onValueChange={setTheme}
      />
      <p className="mt-2 text-ink-3 text-xs">{text.looks.hint}</p>
    </Panel>
  );
}

function Lead({ children }: { children: ReactNode }) {
  return <p className="mb-3 text-ink-2 text-sm">{children}</p>;
}

function Copied({ value, hint }: { value: string; hint?: string }) {
  return (
    <span className="flex min-w-0 items-start gap-1">
      <span className="min-w-0 flex-1">
        <code className="break-all font-mono text-xs leading-6">{value}</code>
        {hint === undefined ? null : <span className="block text-ink-3 text-xs">{hint}</span>}
      </span>
      <CopyButton value={value} />
    </span>
  );
}

/** What a terminal needs to hear, in which nothing else names the state folder. */
function addCommand({ state_is_usual: isUsual, state_root: folder }: Settings): string {
  return isUsual ? "segue mcp add" : `segue mcp add --state-dir ${quoted(folder)}`;
}

/** As a shell takes it for one word. */
function quoted(path: string): string {
  return /^[\w./@:+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
