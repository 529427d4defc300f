import { expect, test } from "vitest";
import { CAPABILITY_KINDS } from "~/canvas/kinds";
import { type Draft, define, emptyDraft } from "./definition";

test("what was left empty is not in a definition", () => {
  const draft: Draft = {
    ...emptyDraft("agent_cli"),
    name: " Writer ",
    config: { executable: " tool ", args: "a\n\nb c\n" },
  };
  expect(define("agent_cli", draft)).toEqual({
    definition: {
      kind: "agent_cli",
      name: "Writer",
      effects: ["execute_process", "read_local", "read_external", "write_local", "write_external"],
      config: { executable: "tool", args: ["a", "b c"] },
    },
    problems: {},
  });
});

test("numbers, objects and protocols are what the kind wants", () => {
  const http = {
    ...emptyDraft("http"),
    name: "n",
    timeout: "5",
    config: { url: "http://h", method: "GET", body: '{"a":1}' },
  };
  expect(define("http", http).definition).toEqual({
    kind: "http",
    name: "n",
    timeout_seconds: 5,
    effects: ["read_external", "write_external"],
    config: { url: "http://h", method: "GET", body: { a: 1 } },
  });
  const acp = { ...emptyDraft("acp_agent"), name: "n", config: { agent: "codex", allow: ["edit"] } };
  expect(define("acp_agent", acp).definition).toEqual({
    kind: "acp_agent",
    name: "n",
    config: { agent: "codex", allow: ["edit"] },
  });
});

test("what is wrong is named by its field, in every kind", () => {
  const http: Draft = { ...emptyDraft("http"), id: "A", timeout: "0", effects: [], config: { body: "[1]" } };
  expect(define("http", http).problems).toEqual({
    url: "required",
    body: "json",
    name: "name",
    id: "id",
    timeout: "timeout",
    effects: "effects",
  });
  const evaluator: Draft = {
    ...emptyDraft("evaluator_cli"),
    name: "n",
    effects: ["write_local"],
    config: { executable: "t" },
  };
  expect(define("evaluator_cli", evaluator).problems).toEqual({ effects: "evaluator" });
  for (const kind of CAPABILITY_KINDS) expect(define(kind, emptyDraft(kind)).problems).toHaveProperty("name");
});
