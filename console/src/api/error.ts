// The one error that the console knows. It says what happened, under which code, and what to do about it.

import { errors as text } from "~/text/en/errors";
import type { Challenge } from "./types";

export type ErrorCode =
  | "unreachable"
  | "not_recorded"
  | "refused"
  | "not_allowed"
  | "unknown"
  | "conflict"
  | "authorization_required"
  | "fault"
  | (string & {});

const CODES: Readonly<Record<number, ErrorCode>> = {
  400: "refused",
  401: "not_allowed",
  403: "not_allowed",
  404: "unknown",
  409: "conflict",
  421: "not_allowed",
  428: "authorization_required",
  500: "fault",
};

/** What went wrong with one request. */
export class ApiError extends Error {
  override readonly name = "ApiError";

  constructor(
    /** For people; from the server wherever it said something. */
    message: string,
    readonly code: ErrorCode,
    /** 0 when there was no answer. */
    readonly status: number,
    /** What must be authorized, for `authorization_required`. */
    readonly challenge: Challenge | null = null,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** What the reader may do about it; null where the message says it all. */
  get wayOut(): string | null {
    return text.waysOut[this.code] ?? null;
  }
}

/** With a full stop, so that another sentence may follow. */
export function sentence(message: string): string {
  return /[.!?…]$/.test(message.trimEnd()) ? message : `${message}.`;
}

/** An error from whatever was thrown. */
export function asApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new ApiError(message, "console", 0, null, { cause: thrown });
}

/** The error that a refusing answer stands for. */
export function fromAnswer(status: number, body: unknown): ApiError {
  const said = isRecord(body) ? body : {};
  if (status === 428) {
    return new ApiError(text.authorizationRequired, "authorization_required", status, said as unknown as Challenge);
  }
  const message = typeof said.error === "string" ? said.error : text.status(status);
  const code = typeof said.code === "string" ? said.code : (CODES[status] ?? "fault");
  return new ApiError(message, code, status);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
