import { isObject } from "../shared/json.ts";

/** The result of a call according to the body of its response; `unknown` if the body does not say. */
export type Verdict = "success" | "failed" | "pending" | "unknown";

/** The status of a response, in either style (§1): `status`/`statusCode` or `STATUS`/`status_code`. */
export interface Envelope {
  readonly verdict: Verdict;
  /** The code as a string, also if it was sent as a number. */
  readonly statusCode: string | undefined;
  readonly message: string | undefined;
}

const verdicts: Record<string, Verdict> = {
  SUCCESS: "success",
  FAILED: "failed",
  PENDING: "pending",
  PROCESSING: "pending",
};

/** Reads the status of a body. Every operation accepts both spellings and both cases (docs/assumptions.md, A1). */
export function readEnvelope(body: unknown): Envelope {
  if (!isObject(body)) return { verdict: "unknown", statusCode: undefined, message: undefined };
  const statusCode = statusCodeOf(body.statusCode) ?? statusCodeOf(body.status_code);
  const status = typeof body.status === "string" ? body.status.trim().toUpperCase() : "";
  const known = Object.hasOwn(verdicts, status) ? verdicts[status] : undefined;
  return {
    // For another status ("BAD_REQUEST_ERROR") the code decides.
    verdict: known ?? (Number(statusCode) >= 400 ? "failed" : "unknown"),
    statusCode,
    message: messageOf(body),
  };
}

/** The document shows `message` alone; the others are what gateways in front of a service send. */
function messageOf(body: Record<string, unknown>): string | undefined {
  const { message, error, error_message, description } = body;
  const nested = isObject(error) ? error.message : error;
  return [message, nested, error_message, description].find((text) => typeof text === "string");
}

function statusCodeOf(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}
