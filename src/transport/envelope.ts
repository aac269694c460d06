/** What an answer says of itself, in either response style (§1): `status`/`statusCode` or `STATUS`/`status_code`. */
export interface Envelope {
  readonly verdict: "success" | "failed" | "pending" | "unsaid";
  /** The code as text, whatever it was sent as. */
  readonly statusCode: string | undefined;
  readonly message: string | undefined;
}

const verdicts: Record<string, Envelope["verdict"]> = {
  SUCCESS: "success",
  FAILED: "failed",
  PENDING: "pending",
  PROCESSING: "pending",
};

/** Reads the status of a body; both spellings and both cases count on every operation (policy 10). */
export function readEnvelope(body: unknown): Envelope {
  if (!isObject(body)) return { verdict: "unsaid", statusCode: undefined, message: undefined };
  const statusCode = codeText(body.statusCode) ?? codeText(body.status_code);
  const status = typeof body.status === "string" ? body.status.toUpperCase() : "";
  const said = Object.hasOwn(verdicts, status) ? verdicts[status] : undefined;
  return {
    // A status of another kind ("BAD_REQUEST_ERROR") is read from the code beside it.
    verdict: said ?? (Number(statusCode) >= 400 ? "failed" : "unsaid"),
    statusCode,
    message: typeof body.message === "string" ? body.message : undefined,
  };
}

/** True for a JSON object, as every body of this service is. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function codeText(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}
