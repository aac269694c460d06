import type { StandardSchemaV1 } from "@standard-schema/spec";
import type { ValidationIssue } from "../errors/base.ts";
import { field, isObject, isString, trimmedScalar } from "../shared/json.ts";
import { noSchema } from "../shared/validate.ts";

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
  /** `message` of the body, or what gateways send in its place; the text of a body that is not JSON. */
  readonly serviceMessage: string | undefined;
  /** The body: parsed if it was JSON, else its text; undefined if it was not read (`asResponse()`). */
  readonly body: unknown;
}

const verdicts: Record<string, Verdict> = {
  SUCCESS: "success",
  FAILED: "failed",
  PENDING: "pending",
  PROCESSING: "pending",
};

/** Reads the status of a body (§1). Every operation accepts both spellings and both cases (docs/assumptions.md, A1). */
export function readEnvelope(body: unknown): Pick<OperationResponse, "verdict" | "statusCode" | "serviceMessage"> {
  if (!isObject(body)) return { verdict: "unknown", statusCode: undefined, serviceMessage: undefined };
  const [code, other] = [statusCodeOf(body.statusCode), statusCodeOf(body.status_code)];
  // Of two, that of a refusal counts.
  const statusCode = code === undefined || (Number(other) >= 400 && !(Number(code) >= 400)) ? other : code;
  const status = typeof body.status === "string" ? body.status.trim().toUpperCase() : "";
  const known = Object.hasOwn(verdicts, status) ? verdicts[status] : undefined;
  // The document shows `message` alone; the others are what gateways in front of a service send.
  const nested = isObject(body.error) ? body.error.message : body.error;
  const messages = [body.message, nested, body.error_message, body.description];
  return {
    // For another status ("BAD_REQUEST_ERROR") the code decides.
    verdict: known ?? (Number(statusCode) >= 400 ? "failed" : "unknown"),
    statusCode,
    serviceMessage: messages.filter(isString).find(Boolean),
  };
}

function statusCodeOf(value: unknown): string | undefined {
  return (typeof value === "string" && value !== "") || typeof value === "number" ? String(value) : undefined;
}

/**
 * Whether a refusal has a status of the service, or its code as text. Web frameworks send codes as numbers, and statuses
 * such as "error".
 */
export function isOfService(body: unknown): boolean {
  const codes = [field(body, "statusCode"), field(body, "status_code")];
  const { verdict } = readEnvelope({ status: field(body, "status") });
  return verdict !== "unknown" || codes.some((code) => isString(code) && Number(code) >= 400);
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

/**
 * Returns an issue if a body that no schema describes has a status that is not a success: what a word like "ERROR"
 * means is for the caller to say. A success of a call that is sent once has no code of a refusal beside it, and says that
 * it is one.
 */
export function unexpectedStatusIssues(
  operation: { readonly body: StandardSchemaV1; readonly isSuccess?: unknown; readonly retry: string },
  { body, statusCode, httpStatus }: Pick<OperationResponse, "body" | "statusCode" | "httpStatus">,
): readonly ValidationIssue[] {
  if (operation.isSuccess !== undefined) return [];
  const isOnce = operation.retry === "never";
  if (isOnce && statusCode !== undefined && !isDone(statusCode))
    return [statusCodeIssue(body, "is not that of a success: pass `isSuccess` if it is")];
  if (isOnce && !isDone(String(httpStatus)))
    return unexpected("status", "comes under an HTTP status that is not 200 or 201");
  if (operation.body["~standard"].vendor !== noSchema) return [];
  const said = Object.entries(body ?? {}).filter(
    ([name, value]) => /^(status|success)$/i.test(name) && (isOnce || value !== null),
  );
  if (isOnce && statusCode === undefined && said.length === 0) return unexpected("status");
  const other = said.find(([name, value]) => {
    const text = value === true ? "true" : trimmedScalar(value);
    // Of a look-up, `success` may also hold what it found.
    if (!isOnce && /success/i.test(name)) return value === false || /^(false|0)$/i.test(text);
    return !/^(success|true|yes|y|1|20[01])$/i.test(text);
  });
  return other === undefined ? [] : unexpected(other[0]);
}

/** 101 is the code of a verification that succeeded (§2). */
function isDone(code: string): boolean {
  return /^(?:101|20[01])$/.test(code);
}

/** Returns an issue of the code of a response, under the name that it has there. */
export function statusCodeIssue(body: unknown, message: string): ValidationIssue {
  const name = field(body, "statusCode") === undefined ? "status_code" : "statusCode";
  return { path: [name], message, code: "unexpected_value" };
}

function unexpected(
  name: string,
  message = "does not say success: pass `isSuccess`, or a schema for `body` that accepts it",
): readonly ValidationIssue[] {
  return [{ path: [name], message, code: "unexpected_status" }];
}
