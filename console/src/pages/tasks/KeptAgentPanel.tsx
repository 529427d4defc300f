// An agent that was kept after a turn of a task.

import type { Task } from "~/api/types";
import { task as text } from "~/text/en/task";
import { KeyValue, Mono } from "~/ui/KeyValue";
import { Panel } from "~/ui/Panel";
import { Time } from "~/ui/Time";
import { KeptActions } from "./KeptActions";

const words = text.kept;

export function KeptAgentPanel({ task }: { task: Task }) {
  const kept = task.kept_agent;
  if (kept === null) return null;
  return (
    <Panel title={words.title}>
      <KeyValue
        facts={[
          [words.state, words.states[kept.state] ?? kept.state],
          [words.handle, <Mono key="handle">{kept.handle}</Mono>],
          [words.expires, kept.expires_at === null ? null : <Time key="expires" at={kept.expires_at} />],
          [words.turns, kept.turns_left],
          [words.reason, kept.reason],
        ]}
      />
      {kept.state === "kept" ? (
        <div className="mt-3">
          <KeptActions handle={kept.handle} agent={task.agent} />
        </div>
      ) : null}
    </Panel>
  );
}
