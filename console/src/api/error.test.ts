import { expect, test } from "vitest";
import { errors } from "~/text/en/errors";
import { type ApiError, asApiError, fromAnswer, sentence } from "./error";

const plain = (error: ApiError) => ({
  message: error.message,
  code: error.code,
  status: error.status,
  challenge: error.challenge,
  wayOut: error.wayOut,
});

test("a refusal says what the server said, and a way out by its status", () => {
  expect(plain(fromAnswer(404, { error: "there is no run r-1" }))).toEqual({
    message: "there is no run r-1",
    code: "unknown",
    status: 404,
    challenge: null,
    wayOut: errors.waysOut.unknown,
  });
});

test("a code of the server stands before the status", () => {
  expect(plain(fromAnswer(409, { error: "the agent is busy", code: "agent_busy" }))).toEqual({
    message: "the agent is busy",
    code: "agent_busy",
    status: 409,
    challenge: null,
    wayOut: null,
  });
});

test("an answer that says nothing is named by its status", () => {
  expect(plain(fromAnswer(502, "<html>"))).toEqual({
    message: errors.status(502),
    code: "fault",
    status: 502,
    challenge: null,
    wayOut: errors.waysOut.fault,
  });
});

test("what must be authorized comes with the error", () => {
  const challenge = { authorization_id: "a-1", effects: [] };
  expect(plain(fromAnswer(428, challenge))).toMatchObject({ code: "authorization_required", status: 428, challenge });
});

test("whatever is thrown becomes an error of the console, once", () => {
  const error = asApiError(new TypeError("x is undefined"));
  expect(plain(error)).toMatchObject({ message: "x is undefined", code: "console", status: 0 });
  expect(asApiError(error)).toBe(error);
});

test("a message ends before another sentence begins, once", () => {
  expect(["it is used", "It is used.", "Is it used?"].map(sentence)).toEqual([
    "it is used.",
    "It is used.",
    "Is it used?",
  ]);
});
