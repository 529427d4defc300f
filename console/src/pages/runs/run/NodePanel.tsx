// One node of a Run with all of its evidence: what it accepted, who executed it under which rules, each call, what it
// returned, and its events.

import { useQuery } from "@tanstack/react-query";
import { X } from "lucide-react";
import type { ReactNode } from "react";
import { isRecorded } from "~/api/recorded";
import { runNode } from "~/api/runs";
import type { NodeCall, NodeDetail, RunEvent, RunSummary } from "~/api/types";
import { said } from "~/canvas/effects";
import { ReceiptPanel } from "~/pages/tasks/TaskPanels";
import type { NODE_TABS } from "~/searches";
import { effects } from "~/text/en/effects";
import { run as text } from "~/text/en/run";
import { Badge, StateBadge } from "~/ui/Badge";
import { IconButton } from "~/ui/Button";
import { ErrorNotice } from "~/ui/ErrorNotice";
import { JsonView } from "~/ui/JsonView";
import { KeyValue, Mono } from "~/ui/KeyValue";
import { Link } from "~/ui/Link";
import { SkeletonLines } from "~/ui/Skeleton";
import { Tabs } from "~/ui/Tabs";
import { Duration, Time } from "~/ui/Time";
import { AnswerForm } from "./AnswerForm";
import { ArtifactLink } from "./Artifacts";
import { Attempts } from "./Attempts";
import { DecideForm } from "./DecideForm";
import { ForkButton } from "./ForkButton";
import type { RunGraph, RunNode } from "./graph";
import { kindLabel } from "./kinds";
import { RunHistory } from "./RunHistory";
import type { NodeMoment } from "./replay";
import { TaskLink } from "./TaskLink";
import { isActive, type RunRecord } from "./useRunRecord";
import { WhyLines } from "./Why";
import { written } from "./written";

/** States of a node that has returned something. */
const HAS_RESULT: ReadonlySet<string> = new Set(["accepted", "succeeded", "reused", "rejected", "failed"]);

type NodeTab = (typeof NODE_TABS)[number];

interface NodePanelProps {
  record: RunRecord & { run: RunSummary; graph: RunGraph };
  node: RunNode;
  tab: NodeTab;
  onTab: (tab: NodeTab) => void;
  at: number | undefined;
  onMove: (at: number | undefined) => void;
  onClose: () => void;
}

export function NodePanel({ record, node, tab, onTab, at, onMove, onClose }: NodePanelProps) {
  const { run, log, logState, moment, isNow } = record;
  const evidence = useQuery(runNode(run.run_id, node.id));
  const now = moment.nodes.get(node.id);
  const state = now?.state ?? "pending";
  const mine = log
    .between(1, record.isNow ? logState.count : moment.sequence)
    .filter((event) => event.node_id === node.id);
  const canAct = isNow && isActive(run) && !isRecorded();
  /** What a person is asked here and now. */
  const asked = canAct && state === "waiting" ? node.question : null;
  const decides = canAct && state === "uncertain";
  const none = isActive(run)
    ? { input: text.node.noInput, result: text.node.noResult }
    : { input: text.node.acceptedNone, result: text.node.returnedNone };
  const until = isNow ? null : (log.event(moment.sequence)?.recorded_at ?? null);
  const shown = (part: (recorded: NodeDetail) => ReactNode) => {
    if (evidence.error !== null) return <ErrorNotice error={evidence.error} onRetry={() => void evidence.refetch()} />;
    if (evidence.data === undefined) return <SkeletonLines />;
    return part(evidence.data);
  };

  return (
    <section aria-label={node.title} className="flex min-h-0 flex-1 flex-col bg-surface">
      <header className="flex items-center gap-2 border-line border-b px-4 py-2">
        <h2 className="min-w-0 flex-1 truncate font-semibold text-base">{node.title}</h2>
        <StateBadge state={state} />
        <IconButton size="sm" icon={X} label={text.node.close} onClick={onClose} />
      </header>
      <Tabs
        fill
        label={text.node.tabs.label}
        value={tab}
        onValueChange={onTab}
        tabs={[
          {
            value: "overview",
            label: text.node.tabs.overview,
            content: (
              <div className="flex flex-col gap-4 p-4">
                {asked === null ? null : (
                  <AnswerForm runId={run.run_id} node={node} question={asked} input={evidence.data?.input} />
                )}
                {decides ? <DecideForm runId={run.run_id} nodeId={node.id} /> : null}
                {isNow && asked === null && !decides ? <WhyLines runId={run.run_id} nodeId={node.id} /> : null}
                <Overview
                  // The form says what is asked.
                  node={asked === null ? node : { ...node, instruction: null }}
                  now={now}
                  until={until}
                  evidence={evidence.data}
                  events={mine}
                  graph={record.graph}
                />
                {isActive(run) ? null : <ForkButton run={run} graph={record.graph} nodeId={node.id} />}
              </div>
            ),
          },
          {
            value: "input",
            label: text.node.tabs.input,
            content: (
              <div className="p-4">
                {shown((recorded) =>
                  state === "pending" || state === "unreached" ? (
                    <Note>{isNow || state === "unreached" ? none.input : text.node.later}</Note>
                  ) : recorded.input === null ? (
                    <Note>{none.input}</Note>
                  ) : (
                    <JsonView label={text.node.inputLabel(node.title)} value={recorded.input} open={3} />
                  ),
                )}
              </div>
            ),
          },
          {
            value: "result",
            label: text.node.tabs.result,
            content: (
              <div className="p-4">
                {shown((recorded) =>
                  !isNow && !HAS_RESULT.has(state) ? (
                    <Note>{text.node.later}</Note>
                  ) : recorded.output === null ? (
                    <Note>{none.result}</Note>
                  ) : (
                    <Result node={node} output={recorded.output} calls={recorded.calls} />
                  ),
                )}
              </div>
            ),
          },
          {
            value: "attempts",
            label: text.node.tabs.attempts,
            content: shown((recorded) => <Attempts calls={recorded.calls} />),
          },
          {
            value: "events",
            label: text.node.tabs.events,
            count: mine.length,
            content: <RunHistory log={log} state={logState} at={at} onMove={onMove} nodeId={node.id} />,
          },
        ]}
      />
    </section>
  );
}

function Note({ children }: { children: ReactNode }) {
  return <p className="text-ink-2 text-sm">{children}</p>;
}

interface OverviewProps {
  node: RunNode;
  now: NodeMoment | undefined;
  /** The moment that is looked at; null for the present. */
  until: string | null;
  evidence: NodeDetail | undefined;
  events: readonly RunEvent[];
  graph: RunGraph;
}

function Overview({ node, now, until, evidence, events, graph }: OverviewProps) {
  const facts = text.node.facts;
  const executor = evidence?.executor ?? node.executor;
  const titles = new Map(graph.nodes.map(({ id, title }) => [id, title]));
  const from = node.from.map((id) => titles.get(id) ?? id);
  const session = events.findLast((event) => event.event_type.startsWith("executor.session."));
  const used = evidence?.effects ?? node.effects;
  // What came of the node is told only where the moment that is looked at has it.
  const result = until === null ? evidence : undefined;
  const task = result?.calls.find((call) => call.task !== null)?.task ?? undefined;
  return (
    <>
      <KeyValue
        facts={[
          [facts.kind, kindLabel(node.kind)],
          [facts.executor, executor === null ? null : <Mono key="executor">{executor.executor_id}</Mono>],
          [facts.version, executor?.version],
          [
            facts.capability,
            evidence?.capability == null ? null : `${evidence.capability.id} (${evidence.capability.kind})`,
          ],
          [
            facts.effects,
            <span key="effects" className="flex flex-wrap gap-1">
              {used.length === 0
                ? effects.none
                : said(node.kind, used).map(({ effect, label }) => <Badge key={effect}>{label}</Badge>)}
            </span>,
          ],
          [facts.evidence, evidence?.evidence_level],
          [facts.from, from.length === 0 ? facts.flowInput : from.join(", ")],
          [facts.session, session === undefined ? node.session : <Session key="session" event={session} />],
          [facts.round, now !== undefined && now.round > 1 ? now.round : null],
          [facts.task, task === undefined ? null : <TaskLink key="task" taskId={task.task_id} />],
          [facts.attempts, now !== undefined && now.started > 0 ? now.started : null],
          [facts.items, now !== undefined && now.items > 0 ? now.items : null],
          [facts.ready, now?.readyAt == null ? null : <Time key="ready" at={now.readyAt} />],
          [
            facts.took,
            now?.readyAt == null ? null : <Duration key="took" from={now.readyAt} to={now.settledAt ?? until} />,
          ],
          [facts.verdict, result?.verdict?.summary],
          [facts.failure, result?.failure == null ? null : `${result.failure.error_type}: ${result.failure.message}`],
          [
            facts.answer,
            result?.answer == null
              ? null
              : [result.answer.option, result.answer.actor === null ? "" : facts.answeredBy(result.answer.actor)].join(
                  " ",
                ),
          ],
          [
            facts.reusedFrom,
            result?.reused_from_run_id == null ? null : (
              <Link
                key="reused"
                to="/runs/$runId"
                params={{ runId: result.reused_from_run_id }}
                search={{ node: node.id }}
              >
                <Mono>{result.reused_from_run_id}</Mono>
              </Link>
            ),
          ],
          [facts.skipped, result?.skipped_because == null ? null : facts.skippedBecause[result.skipped_because]],
        ]}
      />
      {result?.artifacts.map((artifact) => (
        <ArtifactLink key={artifact.artifact_id} artifact={artifact} />
      ))}
      {node.instruction === null ? null : (
        <div>
          <h3 className="mb-1 font-medium text-ink-2 text-xs">{text.node.instruction}</h3>
          <p className="whitespace-pre-wrap break-words rounded-md bg-sunken px-3 py-2 text-sm">{node.instruction}</p>
        </div>
      )}
      {node.rules.length === 0 ? null : (
        <div>
          <h3 className="mb-1 font-medium text-ink-2 text-xs">{text.node.rules}</h3>
          <JsonView label={text.node.rules} value={Object.fromEntries(node.rules)} open={3} />
        </div>
      )}
    </>
  );
}

function Session({ event }: { event: RunEvent }) {
  const { session_group, conversation_ref, turn_ref, reused } = event.payload as Record<string, unknown>;
  return (
    <span className="flex flex-col">
      <span>
        {String(session_group)}, {reused === true ? text.node.facts.continued : text.node.facts.began}
      </span>
      <Mono>{String(conversation_ref)}</Mono>
      <span className="text-ink-3">
        {text.node.facts.turn} <Mono>{String(turn_ref)}</Mono>
      </span>
    </span>
  );
}

interface ResultProps {
  node: RunNode;
  output: Record<string, unknown>;
  calls: readonly NodeCall[];
}

function Result({ node, output, calls }: ResultProps) {
  const readable = written(output);
  // What an agent returned was made in a task, whose receipt is shown as the task's own page shows it.
  const task = calls.find((call) => call.task !== null && call.task.task_id === output.task_id)?.task ?? null;
  return (
    <div className="flex flex-col gap-3">
      {readable !== null ? (
        <section
          tabIndex={0}
          aria-label={text.node.markdown}
          className="max-h-96 overflow-auto whitespace-pre-wrap break-words rounded-md border border-line px-3 py-2 text-sm"
        >
          {readable}
        </section>
      ) : null}
      {task === null ? null : (
        <>
          <KeyValue facts={[[text.node.facts.task, <TaskLink key="task" taskId={task.task_id} />]]} />
          <ReceiptPanel task={task} />
        </>
      )}
      <JsonView label={text.node.resultLabel(node.title)} value={output} open={readable !== null ? 1 : 3} />
    </div>
  );
}
