"""Counts the words of a text for whoever asks.

    server.py stdio     an MCP server with the tool `count`, on standard input and output
    server.py PORT      the same at /mcp, and a plain request at /count, over HTTP on loopback; asks for a token if
                        COUNT_TOKEN is set
"""

import json
import os
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOKEN = os.environ.get("COUNT_TOKEN")
COUNT = {
    "name": "count",
    "description": "Counts the words of a text.",
    "inputSchema": {"type": "object", "properties": {"context": {"type": "object"}}, "required": ["context"]},
}


def count(context):
    """Nothing, when it is only tried."""
    return {"words": 0 if context.get("probe") is True else len(context["text"].split())}


def mcp(request):
    """The answer to an MCP request; None to what wants none."""
    if "id" not in request:
        return None
    result = result_of(request)
    error = {"code": -32601, "message": "there is no such method or tool"}
    return {"jsonrpc": "2.0", "id": request["id"], **({"error": error} if result is None else {"result": result})}


def result_of(request):
    method, params = request["method"], request.get("params", {})
    if method == "initialize":
        about = {"name": "count", "version": "1"}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": about}
    if method == "tools/list":
        return {"tools": [COUNT]}
    if method == "tools/call" and params["name"] == COUNT["name"]:
        counted = count(params["arguments"]["context"])
        text = {"type": "text", "text": f"{counted['words']} words"}
        return {"content": [text], "structuredContent": counted}
    return None


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if TOKEN and self.headers.get("Authorization") != f"Bearer {TOKEN}":
            self.reply(401, {"error": "the token is missing or wrong"})
        elif self.path == "/count":
            context = request.get("context", {})
            known = "text" in context or "probe" in context
            self.reply(200, count(context)) if known else self.reply(422, {"error": "there is no text"})
        elif self.path != "/mcp":
            self.reply(404, {"error": "there is nothing here"})
        else:
            answer = mcp(request)
            self.reply(202 if answer is None else 200, answer)

    def reply(self, status, value):
        body = b"" if value is None else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


if sys.argv[1] == "stdio":
    for line in sys.stdin:
        answer = mcp(json.loads(line))
        if answer is not None:
            print(json.dumps(answer), flush=True)
else:
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
