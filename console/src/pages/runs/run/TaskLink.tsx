// To the task of the channel that a call of a node was. A report has no pages of tasks.

import { isRecorded } from "~/api/recorded";
import { Mono } from "~/ui/KeyValue";
import { Link } from "~/ui/Link";

export function TaskLink({ taskId }: { taskId: string }) {
  if (isRecorded()) return <Mono>{taskId}</Mono>;
  return (
    <Link to="/tasks/$taskId" params={{ taskId }}>
      <Mono>{taskId}</Mono>
    </Link>
  );
}
