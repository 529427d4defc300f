// What is known of a task beside its events: the receipt, usage, settings in force, and how its processes ended.

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { taskRun } from "~/api/tasks";
import type { Task } from "~/api/types";
import { task as text } from "~/text/en/task";
import { tasks as list } from "~/text/en/tasks";
import { Badge, StateBadge } from "~/ui/Badge";
import { CopyButton } from "~/ui/CopyButton";
import { type Fact, KeyValue, Mono } from "~/ui/KeyValue";
import { Link } from "~/ui/Link";
import { Panel } from "~/ui/Panel";
import { Duration, Time } from "~/ui/Time";

/** Commands and files that are shown at first. */
const SHOWN = 8;
const number = new Intl.NumberFormat("en");

export function TaskFacts({ task }: { task: Task }) {
  const words = text.facts;
  const live = task.live;
  const call = live?.open_tool_call ?? null;
  const { data: origin } = useQuery(taskRun(task.task_id));
  const agent = task.agent_name == null ? task.agent : `${task.agent_name} ${task.agent_version ?? ""}`.trim();
  const facts: Fact[] = [
    [words.state, <StateBadge key="state" state={task.status} />],
    [words.why, task.ended_because == null ? null : (list.because[task.ended_because] ?? task.ended_because)],
    [words.now, live === null ? null : list.waitsFor(list.waiting[live.waiting_for] ?? live.waiting_for)],
    [words.tool, call === null ? null : <Mono key="tool">{call.title}</Mono>],
    [words.created, <Time key="created" at={task.created_at} />],
    [
      words.took,
      task.started_at === null ? null : <Duration key="took" from={task.started_at} to={task.finished_at} />,
    ],
    [words.agent, agent],
    [
      words.run,
      origin == null ? null : (
        <Link key="run" to="/runs/$runId" params={{ runId: origin.run.run_id }} search={{ node: origin.nodeId }}>
          {words.step(origin.nodeId, origin.run.flow_id)}
        </Link>
      ),
    ],
    [words.workspace, <Mono key="workspace">{task.workspace}</Mono>],
    [words.session, task.session_id === null ? null : <Copied key="session" value={task.session_id} />],
    [words.task, <Copied key="task" value={task.task_id} />],
    [words.exit, task.exit_code],
    [words.stopReason, task.stop_reason ?? null],
    [
      words.judged,
      task.resolution === "unresolved" ? null : (
        <span key="judged">
          {list.verdicts[task.resolution] ?? task.resolution}
          {task.resolved_by === null ? null : ` ${text.by(task.resolved_by)}`}
        </span>
      ),
    ],
    [words.note, task.resolution_note],
  ];
  return (
    <Panel title={words.title}>
      <KeyValue facts={facts} />
    </Panel>
  );
}

function Copied({ value }: { value: string }) {
  return (
    <span className="flex min-w-0 items-center gap-1">
      <span className="min-w-0 truncate">
        <Mono cut>{value}</Mono>
      </span>
      <CopyButton value={value} />
    </span>
  );
}

export function ReceiptPanel({ task }: { task: Task }) {
  const receipt = task.receipt;
  if (receipt === undefined) return null;
  const words = text.receipt;
  const files = receipt.files_changed;
  return (
    <Panel title={words.title}>
      <About>{words.about}</About>
      <KeyValue
        facts={[
          [words.tools, <Counts key="tools" counts={receipt.tool_calls} />],
          [words.asked, receipt.permissions_asked],
          [words.refused, receipt.permissions_refused],
          [words.unasked, <Counts key="unasked" counts={receipt.actions_never_asked} />],
          [
            words.files,
            files === null ? (
              <span key="files" className="text-ink-3">
                {words.noGit}
              </span>
            ) : files.length === 0 ? (
              words.nothing
            ) : (
              <ul key="files">
                {files.slice(0, SHOWN).map((file) => (
                  <li key={file}>
                    <Mono cut>{file}</Mono>
                  </li>
                ))}
                {files.length > SHOWN ? <li className="text-ink-3">{words.more(files.length - SHOWN)}</li> : null}
              </ul>
            ),
          ],
        ]}
      />
      {receipt.commands_total === 0 ? null : (
        <section className="mt-3" aria-label={words.commands}>
          <h3 className="mb-1 text-ink-3 text-sm">
            {words.commands} <span className="text-xs">{receipt.commands_total}</span>
          </h3>
          <ul className="flex flex-col gap-1">
            {receipt.commands.slice(0, SHOWN).map((command, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the same command may have been run twice
              <li key={at} className="flex items-start gap-2 rounded-md bg-sunken px-2 py-1">
                <code className="min-w-0 flex-1 break-words font-mono text-xs leading-5">
                  {command.command ?? command.title}
                </code>
                <CommandEnd
                  exit={command.exit_status}
                  refused={command.permission !== null && command.permission !== "allowed"}
                  status={command.status}
                />
              </li>
            ))}
          </ul>
          {receipt.commands_total > SHOWN ? (
            <p className="mt-1 text-ink-3 text-xs">{words.more(receipt.commands_total - SHOWN)}</p>
          ) : null}
        </section>
      )}
    </Panel>
  );
}

function CommandEnd({ exit, refused, status }: { exit: number | null; refused: boolean; status: string | null }) {
  if (refused) return <Badge tone="bad">{text.receipt.notRun}</Badge>;
  if (exit !== null) return <Badge tone={exit === 0 ? "ok" : "bad"}>{text.receipt.exit(exit)}</Badge>;
  return status === null ? null : <Badge>{status}</Badge>;
}

function Counts({ counts }: { counts: Readonly<Record<string, number>> }) {
  const entries = Object.entries(counts);
  if (entries.length === 0) return <>{text.receipt.nothing}</>;
  return <>{entries.map(([kind, count]) => `${kind} ${count}`).join(", ")}</>;
}

export function UsagePanel({ task }: { task: Task }) {
  const words = text.usage;
  const usage = task.usage;
  if (usage == null) return null;
  const { turn, context } = usage;
  const cost = context?.cost ?? null;
  const tokens = (count: number | undefined) => (count === undefined ? null : number.format(count));
  return (
    <Panel title={words.title}>
      {turn === null && context === null ? (
        <p className="text-ink-2 text-sm">{words.none}</p>
      ) : (
        <>
          <About>{words.about}</About>
          <KeyValue
            facts={[
              [words.input, tokens(turn?.input_tokens)],
              [words.output, tokens(turn?.output_tokens)],
              [words.thought, tokens(turn?.thought_tokens)],
              [words.cached, tokens(turn?.cached_read_tokens)],
              [words.total, tokens(turn?.total_tokens)],
              [
                words.context,
                context === null ? null : words.of(number.format(context.used), number.format(context.size)),
              ],
              [words.cost, cost === null ? null : `${cost.amount} ${cost.currency}`],
            ]}
          />
        </>
      )}
    </Panel>
  );
}

export function SettingsPanel({ task }: { task: Task }) {
  const words = text.settings;
  const settings = task.settings_in_force;
  if (settings == null) return null;
  return (
    <Panel title={words.title}>
      {settings.length === 0 ? (
        <p className="text-ink-2 text-sm">{words.none}</p>
      ) : (
        <KeyValue
          facts={settings.map(({ name, asked, in_force: inForce }): Fact => {
            const same = JSON.stringify(asked) === JSON.stringify(inForce);
            const said = inForce === null || inForce === undefined ? words.unsaid : shown(inForce);
            return [
              name,
              <span key={name}>
                <Mono>{said}</Mono>{" "}
                <span className={same ? "text-ink-3" : "text-bad"}>
                  {same ? words.same : words.asked(shown(asked))}
                </span>
              </span>,
            ];
          })}
        />
      )}
    </Panel>
  );
}

export function StopPanel({ task }: { task: Task }) {
  const words = text.stop;
  const stop = task.stop_receipt;
  if (stop == null) return null;
  return (
    <Panel title={words.title}>
      <About>{words.about}</About>
      <ul aria-label={words.label} className="flex flex-col gap-1 text-sm">
        {stop.processes.map((process) => (
          <li key={process.pid} className="flex gap-2">
            <Mono>{`${process.name} (${process.pid})`}</Mono>
            <span className="text-ink-2">{words.ways[process.how] ?? process.how}</span>
          </li>
        ))}
        {stop.escaped.map((process) => (
          <li key={process.pid} className="flex gap-2 text-bad">
            <Mono>{`${process.name} (${process.pid})`}</Mono>
            {words.escaped}
          </li>
        ))}
      </ul>
      <p className="mt-2 text-sm">
        <Badge tone={stop.tree_empty ? "ok" : "bad"}>{stop.tree_empty ? words.empty : words.notEmpty}</Badge>
      </p>
      {stop.unconfirmed === null ? null : <p className="mt-1 text-bad text-sm">{stop.unconfirmed}</p>}
    </Panel>
  );
}

function About({ children }: { children: ReactNode }) {
  return <p className="mb-2 text-ink-3 text-xs">{children}</p>;
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
