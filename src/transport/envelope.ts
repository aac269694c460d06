import { isObject, isString } from "../shared/json.ts";

/** The result of a call according to the body of its response; `unknown` if the body does not say. */
export type Verdict = "success" | "failed" | "pending" | "unknown";

/** A response, as the hooks of an operation see it, unredacted. */
export interface OperationResponse {
  /** HTTP status. */
  readonly httpStatus: number;
  /** The result that `status`, or the code with it, names; `unknown` if neither does. */
  readonly verdict: Verdict;
  /** `statusCode` or `status_code` of the body, as a string. */
  readonly statusCode: string | undefined;
  /** The body's own `message`; the text of a body that is not JSON. */
  readonly serviceMessage: string | undefined;
  /** The body: parsed if it was JSON, else its text. */
  readonly body: unknown;
}

/** The status of a response, in either style (§1): `status`/`statusCode` or `STATUS`/`status_code`. */
export type Envelope = Pick<OperationResponse, "verdict" | "statusCode" | "serviceMessage">;

const verdicts: Record<string, Verdict> = {
  SUCCESS: "success",
  FAILED: "failed",
  PENDING: "pending",
  PROCESSING: "pending",
};

/** Reads the status of a body. Every operation accepts both spellings and both cases (docs/assumptions.md, A1). */
export function readEnvelope(body: unknown): Envelope {
  if (!isObject(body)) return { verdict: "unknown", statusCode: undefined, serviceMessage: undefined };
  const statusCode = statusCodeOf(body.statusCode) ?? statusCodeOf(body.status_code);
  const status = typeof body.status === "string" ? body.status.trim().toUpperCase() : "";
  const known = Object.hasOwn(verdicts, status) ? verdicts[status] : undefined;
  // The document shows `message` alone; the others are what gateways in front of a service send.
  const nested = isObject(body.error) ? body.error.message : body.error;
  const messages = [body.message, nested, body.error_message, body.description];
  return {
    // For another status ("BAD_REQUEST_ERROR") the code decides.
    verdict: known ?? (Number(statusCode) >= 400 ? "failed" : "unknown"),
    statusCode,
    serviceMessage: messages.find(isString),
  };
}

function statusCodeOf(value: unknown): string | undefined {
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

/**
 * The response, as the hooks of an operation see it.
 *
 * @param text - The body, if it is not JSON.
 */
export function operationResponse(
  response: { readonly status: number },
  body: unknown,
  text?: string,
): OperationResponse {
  const { serviceMessage = text, ...envelope } = readEnvelope(body);
  return { httpStatus: response.status, ...envelope, serviceMessage, body: body ?? text };
}
