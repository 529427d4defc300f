"""The programs of the companion's flow, started by Segue: `steps.py compose | check | file`.

Each reads one JSON object from standard input and prints one. They know the adapter contracts and nothing else.
"""

import json
import re
import sys
from pathlib import Path

FOLDER = "notes"


def compose(call):
    """A tool: the inputs become a note. What later steps need is passed on."""
    given = call["context"]
    lines = [f"# {given['title']}", ""]
    if given.get("urgent"):
        lines += ["**Urgent.**", ""]
    lines += [f"- {point}" for point in given["points"]]
    return {"title": given["title"], "article_markdown": "\n".join(lines) + "\n"}


def check(request):
    """An evaluator: a note in which something is still open is not done."""
    text = request["candidate"]["article_markdown"]
    findings = []
    if re.search(r"\bTBD\b", text):
        findings.append({"code": "still-open", "message": "The note has a TBD in it."})
    passed = not findings
    return {
        "contract_version": "symphlo.evaluation-result.v1",
        "verdict": "pass" if passed else "fail",
        "summary": "nothing is left open" if passed else "something is left open",
        "findings": findings,
    }


def file(call):
    """A tool that writes: the note goes into the workspace, which is the folder it is started in."""
    note = call["context"].get("candidate", call["context"])
    slug = re.sub(r"[^a-z0-9]+", "-", note["title"].lower()).strip("-")[:60] or "note"
    path = Path(FOLDER) / f"{slug}.md"
    path.parent.mkdir(exist_ok=True)
    path.write_text(note["article_markdown"], encoding="utf-8")
    return {"written": str(path), "article_markdown": note["article_markdown"]}


STEPS = {"compose": compose, "check": check, "file": file}


if __name__ == "__main__":
    json.dump(STEPS[sys.argv[1]](json.load(sys.stdin)), sys.stdout)
