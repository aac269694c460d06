import { isObject } from "../shared/json.ts";
/** What the body of a response says of the call. */
export type Verdict = "success" | "failed" | "pending" | "none";

/** What a response says of itself, in either style (§1): `status`/`statusCode` or `STATUS`/`status_code`. */
export interface Envelope {
  readonly verdict: Verdict;
  /** The code as a string, however it was sent. */
  readonly statusCode: string | undefined;
  readonly message: string | undefined;
}

const verdicts: Record<string, Verdict> = {
  SUCCESS: "success",
  FAILED: "failed",
  PENDING: "pending",
  PROCESSING: "pending",
};

/** Reads the status of a body; both spellings and both cases count on every operation (docs/assumptions.md, A1). */
export function readEnvelope(body: unknown): Envelope {
  if (!isObject(body)) return { verdict: "none", statusCode: undefined, message: undefined };
  const statusCode = codeText(body.statusCode) ?? codeText(body.status_code);
  const status = typeof body.status === "string" ? body.status.trim().toUpperCase() : "";
  const said = Object.hasOwn(verdicts, status) ? verdicts[status] : undefined;
  return {
    // A status of another kind ("BAD_REQUEST_ERROR") is read from the code beside it.
    verdict: said ?? (Number(statusCode) >= 400 ? "failed" : "none"),
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

function codeText(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}
