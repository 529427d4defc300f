#!/usr/bin/env python3
"""A local program with a page of its own that has Segue do its work. Needs Python 3.9 and nothing else.

    segue app --workspace SOME/FOLDER --no-open     # says app=http://127.0.0.1:8765/
    python3 examples/companion/companion.py         # says page=http://127.0.0.1:8766/

A page of another origin cannot call Segue, and should not: this program calls it. It uses the versioned contracts of
Segue's HTTP interface only, and knows nothing of where Segue keeps what.
"""

import argparse
import json
import sys
import urllib.error
import urllib.parse
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import plan as planning  # noqa: E402

PAGE = Path(__file__).resolve().parent / "page"
FILES = {"/": ("index.html", "text/html; charset=utf-8"), "/page.js": ("page.js", "text/javascript; charset=utf-8"),
         "/page.css": ("page.css", "text/css; charset=utf-8")}
POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-ancestors 'none'"
BODY_MAX = 65_536
ARTIFACT_MAX = 4_000_000
# A person waits for the page; Segue answers from its own disk.
TIMEOUT = 30
# Plans that a page may still run. A reload makes a new one.
PLANS_MAX = 100


class Failed(Exception):
    """A request that is answered with a text for people."""

    def __init__(self, status, message, **more):
        super().__init__(message)
        self.status, self.more = status, more


class Segue:
    """Segue's HTTP interface, as far as a companion needs it."""

    def __init__(self, url):
        self.url = url.rstrip("/")
        # Segue is on this machine; a proxy that the environment names is not on the way.
        self.opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

    def call(self, method, path, body=None, headers=None, limit=ARTIFACT_MAX):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"Content-Type": "application/json", **(headers or {})},
                                         method=method)
        try:
            with self.opener.open(request, timeout=TIMEOUT) as reply:
                return reply.status, reply.headers, bounded(reply, limit)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers, bounded(error, limit)
        except OSError as error:
            reason = getattr(error, "reason", error)
            raise Failed(502, f"Segue does not answer at {self.url} ({reason}). Start it with `segue app`.") from error

    def json(self, method, path, body=None, headers=None, expected=(200, 201, 202)):
        status, _, text = self.call(method, path, body, headers)
        try:
            reply = json.loads(text)
        except ValueError as error:
            raise Failed(502, f"{self.url} answered with something that is no JSON. Is it Segue?") from error
        if status not in expected:
            raise Failed(status if status < 500 else 502, reply.get("error", f"Segue answered {status}."))
        return status, reply


def bounded(stream, limit):
    data = stream.read(limit + 1)
    if len(data) > limit:
        raise Failed(502, f"Segue answered with more than {limit} bytes.")
    return data


class Companion:
    """What the page can ask for."""

    def __init__(self, segue):
        self.segue = segue
        self.plans = {}

    def preview(self, granularity):
        request = {"contract_version": "symphlo.integration-bundle-preview-request.v1",
                   "bundle": planning.bundle(granularity)}
        return self.segue.json("POST", "/api/v1/integration-bundles/preview", request)[1]

    def plan(self, form):
        try:
            inputs, chosen = planning.read_form(form)
            plan = planning.make(form, self.preview(chosen or planning.suggest(inputs)[0]))
        except planning.Refused as refused:
            raise Failed(400, str(refused), field=refused.field) from refused
        self.plans[plan["plan_id"]] = plan
        while len(self.plans) > PLANS_MAX:
            del self.plans[next(iter(self.plans))]
        return plan

    def planned(self, body):
        plan = self.plans.get(body.get("plan_id"))
        if plan is None:
            raise Failed(409, "This plan is not known any more. Plan again.")
        return plan

    def install(self, body):
        granularity = self.planned(body)["granularity"]
        preview = self.preview(granularity)
        if preview["status"] == "blocked":
            raise Failed(409, "Another flow or capability of the same name is saved there. Nothing was changed.")
        request = {"contract_version": "symphlo.integration-bundle-install-request.v1",
                   "bundle": planning.bundle(granularity), "bundle_hash": preview["bundle_hash"],
                   "confirmation_phrase": preview["confirmation_phrase"]}
        return self.segue.json("POST", "/api/v1/integration-bundles", request)[1]

    def run(self, body):
        plan = self.planned(body)
        if body.get("confirmed") is not True:
            raise Failed(400, "The plan has not been confirmed.")
        path = f"/api/v1/flows/{plan['flow_id']}/runs"
        # The same plan starts one run, also when a reply was lost or a button was pressed twice.
        key = {"Idempotency-Key": plan["plan_id"]}
        status, reply = self.segue.json("POST", path, planning.run_request(plan), key, (202, 428))
        if status == 428:
            authorization = planning.authorize(plan, reply)
            if authorization is None:
                raise Failed(409, "Segue asks for other effects than the plan showed. Nothing was started.",
                             asked=reply["effects"])
            _, reply = self.segue.json("POST", path, planning.run_request(plan, authorization), key)
        return {"run_id": reply["run_id"], "flow_id": reply["flow_id"], "status": reply["status"]}

    def outcome(self, run_id):
        return self.segue.json("GET", f"/api/v1/runs/{quoted(run_id)}/outcome")[1]

    def cancel(self, run_id, body):
        request = {"contract_version": "symphlo.run-cancellation-request.v1", "flow_id": body.get("flow_id", "")}
        return self.segue.json("POST", f"/api/v1/runs/{quoted(run_id)}/cancellations", request)[1]

    def artifact(self, artifact_id):
        status, _, data = self.segue.call("GET", f"/api/v1/artifacts/{quoted(artifact_id)}/content")
        if status != 200:
            raise Failed(status if status < 500 else 502, "There is no such artifact.")
        return data


def quoted(text):
    return urllib.parse.quote(text, safe="")


class Handler(BaseHTTPRequestHandler):
    """One request of the page. Only this program's own page may ask."""

    companion = None
    timeout = TIMEOUT
    server_version = "companion"

    def do_GET(self):
        self.answer(self.get)

    def do_POST(self):
        self.answer(self.post)

    def answer(self, act):
        try:
            self.guard()
            act()
        except Failed as failed:
            self.reply(failed.status, {"error": str(failed), **failed.more})
        except ConnectionError:
            # The page has gone; what it asked for has been done.
            self.close_connection = True

    def guard(self):
        port = self.server.server_address[1]
        own = {f"127.0.0.1:{port}", f"localhost:{port}"}
        if self.headers.get("Host", "").lower() not in own:
            raise Failed(421, "This is not a name of the companion.")
        origin = self.headers.get("Origin")
        if origin is not None and origin.lower() not in {f"http://{host}" for host in own}:
            raise Failed(403, "Another page may not ask.")

    def get(self):
        path = urllib.parse.urlsplit(self.path).path
        if path in FILES:
            name, kind = FILES[path]
            self.send(200, (PAGE / name).read_bytes(), kind)
        elif path.startswith("/runs/"):
            self.reply(200, self.companion.outcome(path.removeprefix("/runs/")))
        elif path.startswith("/artifacts/"):
            self.send(200, self.companion.artifact(path.removeprefix("/artifacts/")), "text/plain; charset=utf-8")
        else:
            raise Failed(404, "There is nothing here.")

    def post(self):
        body = self.body()
        acts = {"/plan": self.companion.plan, "/install": self.companion.install, "/run": self.companion.run}
        path = urllib.parse.urlsplit(self.path).path
        if path in acts:
            self.reply(200, acts[path](body))
        elif path.startswith("/runs/") and path.endswith("/cancel"):
            self.reply(200, self.companion.cancel(path.removeprefix("/runs/").removesuffix("/cancel"), body))
        else:
            raise Failed(404, "There is nothing here.")

    def body(self):
        length = self.headers.get("Content-Length", "")
        # A form of another page can be sent without being asked; JSON cannot.
        if self.headers.get_content_type() != "application/json" or not length.isdecimal():
            raise Failed(400, "The body must be JSON.")
        if int(length) > BODY_MAX:
            raise Failed(413, f"The body is longer than {BODY_MAX} bytes.")
        try:
            body = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError) as error:
            raise Failed(400, "The body is no JSON.") from error
        if not isinstance(body, dict):
            raise Failed(400, "The body must be an object.")
        return body

    def reply(self, status, value):
        self.send(status, json.dumps(value).encode(), "application/json")

    def send(self, status, data, kind):
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(data)), "Cache-Control": "no-store",
                            "Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff",
                            "Referrer-Policy": "no-referrer"}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        """The page shows what happens."""


def main():
    parser = argparse.ArgumentParser(description="A page of a local program that has Segue do its work.")
    parser.add_argument("--segue", default="http://127.0.0.1:8765", help="where `segue app` listens")
    parser.add_argument("--port", type=int, default=8766, help="0: any free one")
    arguments = parser.parse_args()
    Handler.companion = Companion(Segue(arguments.segue))
    try:
        server = ThreadingHTTPServer(("127.0.0.1", arguments.port), Handler)
    except OSError as error:
        parser.exit(2, f"error: cannot listen on port {arguments.port} ({error.strerror}); try --port 0\n")
    server.daemon_threads = True
    print(f"page=http://127.0.0.1:{server.server_address[1]}/", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
