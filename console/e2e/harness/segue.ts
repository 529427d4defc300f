import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { end, gone, MARK } from "./processes.ts";

const REPOSITORY = resolve(import.meta.dirname, "../../..");
const BUILT = resolve(REPOSITORY, process.env.CARGO_TARGET_DIR ?? "target", "debug");
const PROGRAM = process.env.SEGUE_BIN ?? join(BUILT, "segue");
const AGENT = process.env.SEGUE_SCRIPTED_AGENT_BIN ?? join(BUILT, "segue-scripted-agent");
/** The names under which agents are looked for; behind each is the scripted one. */
const AGENTS = [
  "claude-agent-acp",
  "codex-acp",
  "copilot",
  "cline",
  "cursor-agent",
  "opencode",
  "segue-scripted-agent",
];
/** The longest ladder of a teardown, and a slow machine. */
const END_MS = 60_000;
const START_MS = 60_000;
/** For a tool that a test holds back: longer than the test may last. */
const TOOL_SECONDS = 300;

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** What the interface answered. */
// biome-ignore lint/suspicious/noExplicitAny: tests read any member, and fail where it is not there.
export type Reply = any;

/**
 * A real `segue app` in a world of its own: fresh home, state, workspace, and a `PATH` on which every agent is the
 * scripted one. `dispose` fails when a process is left.
 */
export class Segue {
  readonly root = mkdtempSync(join(tmpdir(), "segue-e2e-"));
  private readonly mark = `e2e-${process.pid}-${randomUUID()}`;
  private child: ChildProcess | undefined;
  private address = "";
  private errors = "";

  private constructor() {
    for (const name of [PROGRAM, AGENT]) {
      if (!existsSync(name)) throw new Error(`${name} is missing: \`make build\` builds it`);
    }
    for (const name of ["home", "state", "run", "tmp", "work", "bin", "sessions"]) {
      mkdirSync(this.path(name), { mode: 0o700 });
    }
    for (const name of AGENTS) symlinkSync(AGENT, this.path("bin", name));
  }

  static async start(): Promise<Segue> {
    const segue = new Segue();
    await segue.serve();
    return segue;
  }

  /** With a slash at the end. It stays the same over a restart. */
  get url(): string {
    return this.address;
  }

  path(...names: string[]): string {
    return join(this.root, ...names);
  }

  get workspace(): string {
    return this.path("work");
  }

  /** Starts the server; after the first time on the same port. */
  async serve(): Promise<void> {
    const port = this.address ? new URL(this.address).port : "0";
    const child = spawn(PROGRAM, ["app", "--no-open", "--port", port, "--workspace", this.workspace], {
      cwd: this.workspace,
      env: this.environment(),
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.child = child;
    child.stderr.on("data", (bytes: Buffer) => {
      this.errors += bytes.toString();
    });
    const giveUp = setTimeout(() => child.kill("SIGKILL"), START_MS);
    for await (const line of createInterface({ input: child.stdout })) {
      if (line.startsWith("app=")) this.address = line.slice("app=".length);
      if (line.startsWith("state_root=")) {
        clearTimeout(giveUp);
        child.stdout.resume();
        return;
      }
    }
    clearTimeout(giveUp);
    throw new Error(`segue app did not start: ${this.errors}`);
  }

  /** A command of the program, to its end; what it printed. */
  async run(...words: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
    const child = spawn(PROGRAM, words, {
      cwd: this.workspace,
      env: this.environment(),
      stdio: ["ignore", "pipe", "pipe"],
    });
    const said = { stdout: "", stderr: "" };
    child.stdout.on("data", (bytes: Buffer) => {
      said.stdout += bytes.toString();
    });
    child.stderr.on("data", (bytes: Buffer) => {
      said.stderr += bytes.toString();
    });
    const [code] = await once(child, "close");
    return { code, ...said };
  }

  /** `kill -9` of the server; agents go on under their hosts. */
  async kill(): Promise<void> {
    await this.end("SIGKILL");
  }

  /** `kill -9` of everything, as when the machine loses power: nothing of what executes comes to an end. */
  async crash(): Promise<void> {
    await this.kill();
    end(this.mark);
    await gone(this.mark, END_MS);
  }

  /** Asks the server to stop, and waits until it has. */
  async stop(): Promise<void> {
    await this.end("SIGTERM");
  }

  async restart(): Promise<void> {
    await this.kill();
    await this.serve();
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.child;
    this.child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill(signal);
    const giveUp = setTimeout(() => child.kill("SIGKILL"), END_MS);
    await ended;
    clearTimeout(giveUp);
  }

  /** Stops everything, removes the folders, and fails when a process was left. */
  async dispose(): Promise<void> {
    // Only a server ends what an earlier one left to its hosts.
    if (!this.child && this.address) await this.serve().catch(() => undefined);
    await this.stop();
    const left = await gone(this.mark, END_MS);
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
    if (left.length > 0) throw new Error(`these processes were left:\n${left.join("\n")}`);
  }

  private environment(): NodeJS.ProcessEnv {
    return {
      PATH: `${this.path("bin")}:/usr/local/bin:/usr/bin:/bin`,
      HOME: this.path("home"),
      TMPDIR: this.path("tmp"),
      LANG: "C.UTF-8",
      XDG_RUNTIME_DIR: this.path("run"),
      SEGUE_STATE_DIR: this.path("state"),
      SCRIPTED_HOME: this.path("sessions"),
      SCRIPTED_SETTINGS: this.path("settings"),
      [MARK]: this.mark,
    };
  }

  /** Any request; the JSON of its answer. Fails on a status that is none of `wanted`. */
  async api(method: string, path: string, body?: Json, wanted: number[] = [200, 201, 202]): Promise<Reply> {
    const response = await fetch(new URL(path, this.url), {
      method,
      ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!wanted.includes(response.status)) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text ? JSON.parse(text) : undefined;
  }

  get(path: string): Promise<Reply> {
    return this.api("GET", path);
  }

  post(path: string, body: Json = {}): Promise<Reply> {
    return this.api("POST", path, body);
  }

  /** A file in the workspace. */
  write(name: string, text: string): string {
    const path = join(this.workspace, name);
    writeFileSync(path, text);
    return path;
  }

  /** What `wait_file` of a scripted agent waits for. */
  open(gate: string): void {
    this.write(gate, "");
  }

  /** A shell script that can be bound as a tool; its path. */
  script(name: string, body: string): string {
    const path = this.path("bin", name);
    writeFileSync(path, `#!/bin/sh\n${body}\n`);
    chmodSync(path, 0o755);
    return path;
  }

  /** The examples of the repository, in the workspace. */
  examples(): void {
    cpSync(join(REPOSITORY, "examples"), join(this.workspace, "examples"), { recursive: true });
  }

  /** Saves a tool that runs a shell script. */
  async tool(id: string, body: string, effects: string[] = ["execute_process"]): Promise<Reply> {
    const executable = this.script(id.replaceAll(".", "-"), body);
    const definition = { kind: "cli", id, name: id, effects, timeout_seconds: TOOL_SECONDS, config: { executable } };
    return this.post("/api/v1/capabilities", definition);
  }

  /** Saves a document; its local id. */
  async flow(document: Json): Promise<string> {
    const saved = await this.post("/api/flows", { flow: document });
    return saved.flow_id;
  }

  /** Starts a run of a saved flow by its portable id; the run's id. */
  async start(portable: string, inputs: Json = {}, executor = "deterministic"): Promise<string> {
    const request = { contract_version: "symphlo.run-request.v1", executor, inputs };
    const admission = await this.post(`/api/v1/flows/${encodeURIComponent(portable)}/runs`, request);
    return admission.run_id;
  }

  /** Hands a prompt to a scripted agent; the task's id. */
  async task(prompt: string, agent = "opencode", more: { [name: string]: Json } = {}): Promise<string> {
    const task = await this.post("/api/v1/channel/tasks", { agent, prompt, workspace: this.workspace, ...more });
    return task.task_id;
  }
}
