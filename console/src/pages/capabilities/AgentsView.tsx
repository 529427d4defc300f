// The agents of the channel. What one offers and which sessions it has is asked only on a click, because it is started
// for that.

import { useQuery } from "@tanstack/react-query";
import { Bot, List, Search, Send } from "lucide-react";
import { useState } from "react";
import { type Agent, agentSessions, agents, describedAgent } from "~/api/capabilities";
import { DispatchDialog } from "~/pages/tasks/DispatchDialog";
import { capabilities } from "~/text/en/capabilities";
import { Badge } from "~/ui/Badge";
import { Button } from "~/ui/Button";
import { CopyButton } from "~/ui/CopyButton";
import { Empty } from "~/ui/Empty";
import { ErrorNotice } from "~/ui/ErrorNotice";
import { type Fact, KeyValue, Mono } from "~/ui/KeyValue";
import { Panel } from "~/ui/Panel";
import { SkeletonLines } from "~/ui/Skeleton";
import { Time } from "~/ui/Time";

const text = capabilities.agents;

export function AgentsView() {
  const { data, error, refetch } = useQuery(agents());
  const usable = data?.items.filter(({ path }) => path !== null) ?? [];
  const missing = data?.items.filter(({ path }) => path === null) ?? [];
  return (
    <div className="flex flex-col gap-4 pt-4">
      <p className="text-ink-2 text-sm">{text.lead}</p>
      {error === null ? null : <ErrorNotice error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null ? <SkeletonLines /> : null}
      {data?.nested === true ? <p className="text-bad text-sm">{text.nested}</p> : null}
      {data?.items.length === 0 ? (
        <Empty icon={Bot} title={text.empty.title}>
          {text.empty.body}
        </Empty>
      ) : null}
      {usable.length === 0 ? null : (
        <ul aria-label={text.list} className={CARDS}>
          {usable.map((agent) => (
            <li key={agent.agent}>
              <AgentCard agent={agent} nested={data?.nested === true} />
            </li>
          ))}
        </ul>
      )}
      {data === undefined ? null : <AddAgent />}
      {missing.length === 0 ? null : (
        <>
          <p className="text-ink-2 text-sm">{text.missing.wayOut}</p>
          <ul aria-label={text.missing.list} className={CARDS}>
            {missing.map((agent) => (
              <li key={agent.agent}>
                <MissingCard agent={agent} />
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

const CARDS = "grid items-start gap-4 md:grid-cols-2 xl:grid-cols-3";

/** Where others are named: a file that is read when Segue starts, and is written by nobody but its user. */
function AddAgent() {
  return (
    <Panel title={text.add.title} actions={<CopyButton value={text.add.example} label={text.add.copy} />}>
      <p className="text-ink-2 text-sm">
        {text.add.lead} <Mono>{text.add.place}</Mono>
        {text.add.otherwise} <span className="whitespace-nowrap font-mono text-xs">{text.add.option}</span>
        {text.add.read}
      </p>
      <pre className="mt-2 whitespace-pre-wrap break-words rounded-md bg-sunken px-3 py-2 font-mono text-xs">
        {text.add.example}
      </pre>
    </Panel>
  );
}

/** An agent that cannot be started here. */
function MissingCard({ agent: { agent, problem } }: { agent: Agent }) {
  return (
    <Panel title={agent} actions={<Badge>{text.missing.badge}</Badge>}>
      <p className="break-words text-ink-2 text-sm">{problem}</p>
    </Panel>
  );
}

function AgentCard({ agent: { agent, path }, nested }: { agent: Agent; nested: boolean }) {
  const [dispatches, setDispatches] = useState(false);
  const offer = useQuery({ ...describedAgent(agent), enabled: false });
  const sessions = useQuery({ ...agentSessions(agent), enabled: false });
  return (
    <Panel title={agent} actions={<Badge tone="ok">{text.found}</Badge>}>
      <p className="mb-3 text-ink-3">
        <Mono cut>{path ?? ""}</Mono>
      </p>
      <div className="flex flex-wrap gap-2">
        <Button size="sm" icon={Send} disabled={nested} onClick={() => setDispatches(true)}>
          {text.dispatch}
        </Button>
        <Button
          size="sm"
          icon={Search}
          title={text.starts}
          busy={offer.isFetching}
          onClick={() => void offer.refetch()}
        >
          {text.ask}
        </Button>
        <Button
          size="sm"
          icon={List}
          title={text.starts}
          busy={sessions.isFetching}
          onClick={() => void sessions.refetch()}
        >
          {text.sessions}
        </Button>
      </div>
      {offer.error === null ? null : <Failure error={offer.error} />}
      {offer.data === undefined ? null : (
        <section aria-label={text.offer(agent)} className="mt-3 border-line border-t pt-3">
          <KeyValue facts={offered(offer.data)} />
        </section>
      )}
      {sessions.error === null ? null : <Failure error={sessions.error} />}
      {sessions.data === undefined ? null : (
        <section aria-label={text.sessionList(agent)} className="mt-3 border-line border-t pt-3">
          {sessions.data.items.length === 0 ? <p className="text-ink-2 text-sm">{text.noSession}</p> : null}
          <ul className="flex flex-col gap-2">
            {sessions.data.items.map((session) => (
              <li key={session.session_id} className="min-w-0 text-sm">
                <span className="block truncate">{session.title ?? text.noTitle}</span>
                <span className="flex items-center gap-2 text-ink-3 text-xs">
                  <Mono cut>{session.session_id}</Mono>
                  {session.updated_at === null ? null : <Time at={session.updated_at} />}
                </span>
              </li>
            ))}
          </ul>
          {sessions.data.next === null ? null : <p className="mt-2 text-ink-3 text-xs">{text.moreSessions}</p>}
        </section>
      )}
      {dispatches ? <DispatchDialog agent={agent} onClose={() => setDispatches(false)} /> : null}
    </Panel>
  );
}

function Failure({ error }: { error: unknown }) {
  return (
    <div className="mt-3">
      <ErrorNotice error={error} />
    </div>
  );
}

type Offer = NonNullable<Awaited<ReturnType<NonNullable<ReturnType<typeof describedAgent>["queryFn"]>>>>;

function offered(offer: Offer): readonly Fact[] {
  const choice = (name: string, one: Offer["model"]): Fact => [
    name,
    one === null ? (
      <span key={name} className="text-ink-3">
        {text.none}
      </span>
    ) : (
      <ul key={name}>
        {one.values.map((value) => (
          <li key={value} className="flex items-center gap-2">
            <Mono>{value}</Mono>
            {value === one.current ? <span className="text-ink-3 text-xs">{text.current}</span> : null}
          </li>
        ))}
      </ul>
    ),
  ];
  const map = (name: string, members: Readonly<Record<string, unknown>>): Fact => {
    const entries = Object.entries(members);
    if (entries.length === 0) return [name, null];
    return [name, <Mono key={name}>{entries.map(([key, value]) => `${key}=${String(value)}`).join(", ")}</Mono>];
  };
  return [
    [text.facts.name, offer.agent_name],
    [text.facts.version, offer.agent_version],
    choice(text.facts.model, offer.model),
    choice(text.facts.effort, offer.effort),
    map(text.facts.pins, offer.pins),
    map(text.facts.pinsWithEdit, offer.pins_with_edit),
    map(text.facts.delivery, offer.delivery),
  ];
}
