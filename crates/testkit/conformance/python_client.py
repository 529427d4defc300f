"""The protocol authors' Python client against a server over standard input and output.

    python_client.py COMMAND [ARGUMENT...]

In each protocol era: opens the connection, lists the tools, dispatches a task to the scripted agent (which
must be on PATH as `claude-agent-acp`), waits for it and reads it. The client checks every result against the
schemas we publish. Prints one line a check and ends with a count; the exit status is 1 if a check failed.
"""

import asyncio
import json
import os
import sys

from mcp import Client, StdioServerParameters

TOOLS = [
    "describe_agent", "list_sessions", "delete_session", "spawn_task", "get_task", "get_events", "wait_tasks",
    "list_tasks", "resolve_task", "cancel_task", "forget_task", "extend_agent", "release_agent",
]
# How the client opens the connection, and the revision it must come to.
ERAS = {"legacy": "2025-11-25", "2026-07-28": "2026-07-28", "auto": "2026-07-28"}
# Seconds after which a wait has failed; the scripted agent answers at once.
PATIENCE = 60

passed = failed = 0


def check(name, seen, wanted):
    global passed, failed
    if seen == wanted:
        passed += 1
        print(f"ok      {name}")
    else:
        failed += 1
        print(f"FAILED  {name}: saw {seen!r}, wanted {wanted!r}")


async def good(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    [block] = result.content
    if result.is_error:
        raise RuntimeError(f"{tool}: {block.text}")
    if json.loads(block.text) != result.structured_content:
        raise RuntimeError(f"{tool}: the text is not the structured content")
    return result.structured_content


async def era(mode, version, command):
    # The client passes on only a few variables; the program needs those that say where things lie.
    parameters = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
    async with Client(parameters, mode=mode) as client:
        check(f"{mode}: revision", client.protocol_version, version)
        listed = await client.list_tools()
        check(f"{mode}: tools", [tool.name for tool in listed.tools], TOOLS)
        check(f"{mode}: prompts", (await client.list_prompts()).prompts, [])
        check(f"{mode}: resources", (await client.list_resources()).resources, [])

        spawned = await good(client, "spawn_task", agent="claude_code", prompt="[[say:Grüße]]")
        task_id = spawned["task_id"]
        check(f"{mode}: started", spawned["status"], "running")
        waited = await asyncio.wait_for(good(client, "wait_tasks", task_ids=[task_id]), PATIENCE)
        [ended] = waited["completed"]
        check(f"{mode}: ended", (waited["reason"], ended["status"], ended["final_message"]), ("terminal", "succeeded", "Grüße"))
        page = await good(client, "get_events", task_id=task_id, event_types=["agent_message"])
        check(f"{mode}: events", [event["payload"]["text"] for event in page["events"]], ["Grüße"])
        resolved = await good(client, "resolve_task", task_id=task_id, resolution="accepted")
        check(f"{mode}: resolved", resolved["resolution"], "accepted")
        forgotten = await good(client, "forget_task", task_id=task_id)
        check(f"{mode}: forgotten", forgotten, {"task_id": task_id, "forgotten": True})

        unknown = await client.call_tool("get_task", {"task_id": task_id})
        check(f"{mode}: refusal", (unknown.is_error, unknown.content[0].text.split(":")[0]), (True, "task_not_found"))
        unfit = await client.call_tool("get_events", {"task_id": task_id, "limit": 2.5})
        check(f"{mode}: unfit argument", (unfit.is_error, "limit" in unfit.content[0].text), (True, True))
        # A wait and a short call at once: the short one must not wait for the other.
        sleeper = (await good(client, "spawn_task", agent="claude_code", prompt="[[hang]]"))["task_id"]
        waiting = asyncio.create_task(good(client, "wait_tasks", task_ids=[sleeper]))
        cancelled = await asyncio.wait_for(good(client, "cancel_task", task_id=sleeper), PATIENCE)
        check(f"{mode}: cancelled", cancelled["status"], "cancelled")
        check(f"{mode}: the wait ends with it", (await asyncio.wait_for(waiting, PATIENCE))["reason"], "terminal")


async def main():
    global failed
    for mode, version in ERAS.items():
        try:
            await era(mode, version, sys.argv[1:])
        except Exception as error:  # the client wraps its errors in groups of groups
            failed += 1
            print(f"FAILED  {mode}: {error!r} {getattr(error, 'exceptions', '')}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0)


asyncio.run(main())
