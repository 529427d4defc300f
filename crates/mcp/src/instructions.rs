//! What the server tells the calling model when the connection opens.

/// For a server that dispatches.
pub const DISPATCHING: &str = "\
Segue hands work to coding agents and keeps a record of it. One task is one turn of one agent.

The loop: dispatch, observe, resolve, repeat.
- describe_agent shows which models and effort levels an agent offers and which settings are pinned.
- spawn_task starts a task and returns at once; it does not wait for the work.
- wait_tasks waits until any of the given tasks is finished, at most 30 seconds a call; call it again on \"timeout\".
- get_task reads the state of a task. get_events reads its record page by page: pass the returned cursor back as after_seq.
- resolve_task records your judgment of a finished task. cancel_task stops a task. forget_task drops the record of a task that \
is both finished and resolved.
- list_tasks finds ids you have lost.
- list_sessions and delete_session look after the sessions an agent has stored.

Execution and judgment are apart. status says how the execution went; resolution says what you thought of the outcome, and \
neither changes the other. error holds the latest error of a task. An error recorded after the end is kept only when there was \
none before, so a task that succeeded can carry one.

An agent can be kept after its turn: give keep_idle (seconds) or keep_turns (further turns) to spawn_task, and after a \
successful turn the agent stays under a handle (kept_agent). on_agent runs another turn on it with the context it has, \
extend_agent renews its bounds, release_agent ends it.

Running tasks belong to this server process: when it ends, they are stopped. To continue a conversation later, keep the \
session_id and pass it to spawn_task with the same agent and the same workspace.

To learn of the end outside this conversation, use notify_path from spawn_task: an empty file appears there when the task has \
ended, and the folder that holds it disappears when this server exits. A shell can wait for either:
  end=$(($(date +%s) + 3600)); until [ -e \"$notify_path\" ] || [ ! -d \"$(dirname \"$notify_path\")\" ] || [ $(date +%s) -ge $end ]; do sleep 1; done
Keep a deadline of your own in such a loop, since a server that was killed leaves its folder behind. The file is only a signal \
and holds nothing: read the outcome with get_task. notify_path is null when markers are off.";

/// For a server that runs inside an agent which Segue started.
pub const NESTED: &str = "\
Dispatch is disabled: this server runs inside an agent that Segue itself started, and agents may not start further agents \
through it. It exposes no tools. Do the work yourself.";
