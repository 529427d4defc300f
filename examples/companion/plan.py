"""What the companion wants done: pure functions from what was typed to a plan, and from a plan to requests.

A plan is exact. A run is asked for by the id of a plan, so it can only be asked for as it was shown.
"""

import secrets
import sys
from pathlib import Path

STEPS = Path(__file__).resolve().parent / "steps.py"
TITLE_MAX = 120
POINTS_MAX = 20
POINT_MAX = 500
# From this many points on somebody should look at the note before it is filed.
POINTS_FOR_CHECK = 4

# name: (kind, what it does, effects)
CAPABILITIES = {
    "compose": ("cli", "Compose a note", ["execute_process"]),
    "check": ("evaluator_cli", "Nothing is left open", ["execute_process"]),
    "file": ("cli", "File a note in the workspace", ["execute_process", "write_local"]),
}

# granularity: steps that do the work; a publisher follows them.
GRANULARITIES = {
    "compact": ["compose"],
    "balanced": ["compose", "file"],
    "fine": ["compose", "check", "file"],
}

KINDS = {"cli": "tool.task", "evaluator_cli": "evaluation.task"}


class Refused(Exception):
    """What was typed cannot be planned. `field` names what to mend."""

    def __init__(self, field, message):
        super().__init__(message)
        self.field = field


def read_form(form):
    """The exact inputs of the flow, and the granularity that was chosen (or None)."""
    title, points, urgent = form.get("title"), form.get("points"), form.get("urgent", False)
    if not isinstance(title, str) or not title.strip() or len(title.strip()) > TITLE_MAX:
        raise Refused("title", f"The title must have 1 to {TITLE_MAX} characters.")
    if not isinstance(points, list) or not all(isinstance(point, str) for point in points):
        raise Refused("points", "The points must be a list of lines.")
    points = [point.strip() for point in points if point.strip()]
    if not 1 <= len(points) <= POINTS_MAX or any(len(point) > POINT_MAX for point in points):
        raise Refused("points", f"There must be 1 to {POINTS_MAX} points, of at most {POINT_MAX} characters each.")
    if not isinstance(urgent, bool):
        raise Refused("urgent", "Urgent is yes or no.")
    chosen = form.get("granularity")
    if chosen is not None and chosen not in GRANULARITIES:
        raise Refused("granularity", f"The granularity is one of {', '.join(GRANULARITIES)}.")
    return {"title": title.strip(), "points": points, "urgent": urgent}, chosen


def suggest(inputs):
    """The granularity that fits the inputs, and why."""
    count = len(inputs["points"])
    if inputs["urgent"]:
        return "compact", "It is urgent: compose and publish, write nothing into the workspace."
    if count >= POINTS_FOR_CHECK:
        return "fine", f"{count} points: check that nothing is left open before the note is filed."
    return "balanced", "A short note: compose it and file it."


def flow_id(granularity):
    return f"companion-note-{granularity}"


def bundle(granularity):
    """The flow and the capabilities that it needs, as an integration bundle."""
    names = GRANULARITIES[granularity]
    capabilities = [capability(name) for name in names]
    steps, before = [], None
    for name in names:
        kind, title, _ = CAPABILITIES[name]
        steps.append({
            "id": name,
            "type": KINDS[kind],
            "from": before,
            "params": {"title": title, "capability_id": f"companion.{name}"},
        })
        before = name
    steps.append({"id": "publish", "type": "artifact.task", "from": before, "params": {"title": "Publish"}})
    flow = {
        "schema_version": 1,
        "id": flow_id(granularity),
        "name": f"Companion's note ({granularity})",
        "description": "Turn a title and some points into a note.",
        "inputs": {
            "title": {"type": "string", "required": True, "description": "What the note is about"},
            "points": {"type": "array", "required": True, "description": "One line each"},
            "urgent": {"type": "boolean", "default": False, "description": "Says so at its top"},
        },
        "steps": steps,
    }
    return {
        "contract_version": "symphlo.integration-bundle.v1",
        "bundle_id": f"companion.note.{granularity}",
        "bundle_version": "1.0.0",
        "name": f"Companion's note ({granularity})",
        "publisher": "The companion example",
        "capabilities": capabilities,
        "flows": [flow],
    }


def capability(name):
    kind, title, effects = CAPABILITIES[name]
    config = {"executable": sys.executable, "args": [str(STEPS), name]}
    if kind == "evaluator_cli":
        config["protocol"] = "symphlo.evaluation.v1"
    return {
        "id": f"companion.{name}",
        "kind": kind,
        "name": title,
        "source": "manual",
        "effects": effects,
        "timeout_seconds": 30,
        "config": config,
    }


def effects_of(granularity):
    """Who does what, in the order of the steps."""
    does = [{"node_id": name, "title": CAPABILITIES[name][1], "effects": CAPABILITIES[name][2]}
            for name in GRANULARITIES[granularity]]
    return [*does, {"node_id": "publish", "title": "Publish", "effects": ["pure_compute", "write_local"]}]


def writes_of(granularity):
    """What must be authorized. The publisher writes into Segue's own folder, which is no question."""
    return {(effect, name) for name in GRANULARITIES[granularity] for effect in CAPABILITIES[name][2]
            if effect.startswith("write_")}


def make(form, installed):
    """`installed` is the reply to the preview of the chosen granularity's bundle."""
    inputs, chosen = read_form(form)
    suggested, why = suggest(inputs)
    granularity = chosen or suggested
    plan = {
        "inputs": inputs,
        "granularity": granularity,
        "suggested": suggested,
        "because": why,
        "flow_id": flow_id(granularity),
        "flow": read_installed(installed),
        "effects": effects_of(granularity),
        "needs_authorization": bool(writes_of(granularity)),
    }
    # Drawn: the same wish a second time is another plan, and starts another run.
    return {"plan_id": secrets.token_hex(16), **plan}


def read_installed(preview):
    """Whether the flow is there as the companion means it."""
    if preview["status"] == "blocked":
        return "conflict"
    return "there" if preview["summary"]["create"] == 0 else "missing"


def run_request(plan, authorization=None):
    request = {"contract_version": "symphlo.run-request.v1", "executor": "deterministic", "inputs": plan["inputs"]}
    if authorization is not None:
        request["contract_version"] = "symphlo.authorized-run-request.v1"
        request["effect_authorization"] = authorization
    return request


def authorize(plan, challenge):
    """The authorization to send back, if the challenge asks for exactly what the plan showed; else None."""
    asked = {(effect["effect"], node) for effect in challenge["effects"] for node in effect["node_ids"]}
    same = challenge["flow_id"] == plan["flow_id"] and asked == writes_of(plan["granularity"])
    return challenge["authorization"] if same else None
