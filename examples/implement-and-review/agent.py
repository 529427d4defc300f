"""Stands in for a coding agent that speaks the Agent Client Protocol: no model takes part.

It understands tasks of one form: a file name in back quotes, and indented lines that the file shall have. As the
implementer it is hasty and writes the first line alone; when the review comes back, it writes what was found to be
missing. As the reviewer it reads the file and names each line that is not there. It asks before it writes.
"""

import json
import re
import sys
from pathlib import Path

CONTEXT = "Accepted context JSON:\n"


def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def update(session, **fields):
    send({"method": "session/update", "params": {"sessionId": session, "update": fields}})


class Refused(Exception):
    """What is said instead of a result."""


class Agent:
    def __init__(self):
        self.folders = {}
        self.asked = 0

    def initialize(self, _):
        about = {"name": "stand-in", "version": "1"}
        return {"protocolVersion": 1, "agentCapabilities": {}, "agentInfo": about, "authMethods": []}

    def session_new(self, params):
        session = f"session-{len(self.folders) + 1}"
        self.folders[session] = Path(params["cwd"])
        return {"sessionId": session}

    def session_prompt(self, params):
        session = params["sessionId"]
        prompt = "\n".join(part["text"] for part in params["prompt"] if part["type"] == "text")
        try:
            text = self.turn(session, prompt)
        except Refused as refused:
            text = str(refused)
        update(session, sessionUpdate="agent_message_chunk", content={"type": "text", "text": text})
        return {"stopReason": "end_turn"}

    def turn(self, session, prompt):
        context = json.loads(prompt.split(CONTEXT, 1)[1].splitlines()[0])
        brief = context["brief"] if "brief" in context else context
        named = re.search(r"`([^`]+)`", brief["task"])
        wanted = [line.strip() for line in brief["task"].splitlines() if line.startswith("    ")]
        if not named or not wanted:
            raise Refused("I only make files whose name stands in back quotes, of lines that are indented.")
        folder = self.folders[session].resolve()
        file = (folder / named[1]).resolve()
        if folder not in file.parents:
            raise Refused(f"{named[1]} is not in this workspace.")
        there = file.read_text().splitlines() if file.exists() else []
        if re.search(r"^Task: You are the reviewer", prompt, re.MULTILINE):
            return self.review(named[1], wanted, there)
        if "repair" in context:
            found = " ".join(finding["message"] for finding in context["repair"]["evaluation"]["findings"])
            lines = [line for line in wanted if line in there or f'"{line}"' in found]
        else:
            lines = wanted[:1]
        self.write(session, file, "".join(line + "\n" for line in lines))
        return f"I wrote {named[1]} with {len(lines)} of {len(wanted)} lines."

    def review(self, name, wanted, there):
        missing = [f'- {name} has no line "{line}".' for line in wanted if line not in there]
        verdict = "changes" if missing else "approve"
        return "\n".join([f"I read {name}: {len(there)} lines.", *missing, f"VERDICT: {verdict}"])

    def write(self, session, file, text):
        self.asked += 1
        call = {"toolCallId": f"call-{self.asked}", "title": f"Write {file.name}", "kind": "edit"}
        update(session, sessionUpdate="tool_call", status="pending", **call)
        options = [
            {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
            {"optionId": "no", "name": "Reject", "kind": "reject_once"},
        ]
        number = f"ask-{self.asked}"
        params = {"sessionId": session, "toolCall": call, "options": options}
        send({"id": number, "method": "session/request_permission", "params": params})
        answer = next(message for message in messages() if message.get("id") == number)
        allowed = answer.get("result", {}).get("outcome", {}).get("optionId") == "yes"
        if allowed:
            file.write_text(text)
        status = "completed" if allowed else "failed"
        update(session, sessionUpdate="tool_call_update", toolCallId=call["toolCallId"], status=status)
        if not allowed:
            raise Refused(f"I may not write {file.name}.")


def messages():
    for line in sys.stdin:
        yield json.loads(line)


def main():
    agent = Agent()
    methods = {
        "initialize": agent.initialize,
        "session/new": agent.session_new,
        "session/prompt": agent.session_prompt,
    }
    for message in messages():
        if "id" not in message or "method" not in message:
            continue
        method = methods.get(message["method"])
        if method:
            send({"id": message["id"], "result": method(message.get("params", {}))})
        else:
            send({"id": message["id"], "error": {"code": -32601, "message": "there is no such method"}})


main()
