"""Holds an installed program to what people install it for: installed.py COMMAND...

`COMMAND mcp` has to serve MCP over standard input and output, `COMMAND app` the console and the API in an empty folder.
Ends with "N passed, N failed".
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import urllib.request

command = sys.argv[1:]
failures = 0
checks = 0
# A slow machine may take this long for one answer.
LIMIT = 120


def check(name, outcome, seen=None):
    global checks, failures
    checks += 1
    if outcome:
        print(f"ok      {name}")
    else:
        failures += 1
        print(f"FAILED  {name}: {seen!r}")


def mcp(environment, folder):
    server = subprocess.Popen(
        [*command, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, cwd=folder
    )

    def ask(number, method, params):
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        server.stdin.write(json.dumps(request) + "\n")
        server.stdin.flush()
        return json.loads(server.stdout.readline())["result"]

    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "check", "version": "1"}}
    answer = ask(1, "initialize", client)
    check("mcp: says its name", answer["serverInfo"]["name"] == "segue", answer)
    server.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
    tools = ask(2, "tools/list", {})["tools"]
    check("mcp: has its thirteen tools", len(tools) == 13, [tool["name"] for tool in tools])
    server.stdin.close()
    check("mcp: ends with its input", server.wait(LIMIT) == 0, server.returncode)


def get(url):
    with urllib.request.urlopen(urllib.request.Request(url, headers={"Accept": "text/html,*/*"}), timeout=LIMIT) as answer:
        return answer.status, answer.read()


def app(environment, folder):
    server = subprocess.Popen(
        [*command, "app", "--workspace", folder, "--port", "0", "--no-open"],
        stdout=subprocess.PIPE, text=True, env=environment, cwd=folder,
    )
    line = server.stdout.readline().strip()
    address = line.removeprefix("app=")
    check("app: says where it serves", line.startswith("app=http://127.0.0.1:"), line)
    status, body = get(address + "api/v1/system/status")
    check("app: answers", status == 200 and json.loads(body)["status"] == "ready", body)
    status, body = get(address)
    check("app: has the console", status == 200 and b"<title>" in body, body[:200])
    server.send_signal(signal.SIGTERM)
    server.communicate(timeout=LIMIT)
    check("app: ends in order", server.returncode in (0, -signal.SIGTERM), server.returncode)
    check("app: leaves an empty folder empty", os.listdir(folder) == [], os.listdir(folder))


with tempfile.TemporaryDirectory() as place:
    home, work = os.path.join(place, "home"), os.path.join(place, "work")
    os.mkdir(home)
    os.mkdir(work)
    environment = {"HOME": home, "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "TMPDIR": place}
    mcp(environment, work)
    app(environment, work)

print(f"{checks - failures} passed, {failures} failed")
sys.exit(1 if failures else 0)
