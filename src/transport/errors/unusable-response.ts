import type { ApiErrorKind, ServiceApiError, ValidationIssue } from "../../errors/base.ts";
import { formatPath } from "../../errors/issues.ts";
import {
  ResponseValidationError,
  type ResponseValidationReason,
  UnexpectedResponseError,
  type UnexpectedResponseReason,
} from "../../errors/request.ts";
import { essentialIssues } from "../../shared/validate.ts";
import { classify } from "../classify.ts";
import type { ResponseHead } from "../fetch.ts";
import { redact, redactHeaders, redactJson, summarize } from "../redact.ts";
import type { CallContext } from "../request.ts";
import { type AttemptFailure, parseRetryAfter } from "../retry-policy.ts";
import { adviseBy, adviseOnUnexpected } from "./advice.ts";
import { detailsOf, namingRequest } from "./details.ts";
import { isOpenStatus } from "./refusal.ts";

const reasons: Record<UnexpectedResponseReason, string> = {
  empty: "the response is empty",
  html: "the response is a web page, as a gateway sends it",
  notJson: "the response is not JSON",
  notObject: "the response is JSON but not an object",
  cut: "the response was cut short",
  tooLarge: "the response is larger than `maxResponseBytes` allows; raise it if that is right",
  badEncoding: "the response is not UTF-8",
  repeatedName: "an object in the response has a name twice",
  successUnderErrorStatus: "the body says success under an HTTP status that says error",
};

/** Reasons that leave open what the response would have said. */
const openReasons: ReadonlySet<UnexpectedResponseReason> = new Set([
  "cut",
  "tooLarge",
  "badEncoding",
  "repeatedName",
  "successUnderErrorStatus",
]);

/** A body that is not a response of the service. */
interface UnexpectedBody {
  readonly reason: UnexpectedResponseReason;
  readonly text: string;
  readonly body?: unknown;
  readonly cause?: unknown;
}

/** Returns the error for a body that is not a response of the service. */
export function unexpectedResponseError(
  call: CallContext,
  response: ResponseHead,
  found: UnexpectedBody,
): UnexpectedResponseError {
  const { operation, secrets } = call;
  const { reason, text, body = text, cause } = found;
  const { status, headers } = response;
  const retryAfter = parseRetryAfter(headers.get("retry-after"));
  const kind = classify({ httpStatus: status, statusCode: undefined, serviceMessage: undefined });
  const isOpen = openReasons.has(reason);
  const outcome = status < 400 || isOpen || isOpenStatus(status) || kind === "duplicate" ? "unknown" : "rejected";
  // What was cut or says success may be done: only a look-up is asked for again.
  const isFinal = isOpen && operation.retry !== "safe";
  const failure = isFinal ? undefined : failureOf(kind, status, retryAfter, reason);
  const details = detailsOf(call, outcome, failure, response);
  const contentType = redact(headers.get("content-type") ?? undefined, secrets);
  return new UnexpectedResponseError({
    ...details,
    message:
      `${operation.name}: ${reasons[reason]} (HTTP ${status}, ${contentType ?? "no content type"}). ` +
      `${adviseOnUnexpected(kind, details, operation)}${namingRequest(details.requestId)}`,
    reason,
    httpStatus: status,
    contentType,
    retryAfter,
    // Cut last: a secret that was cut is no longer found.
    preview: redact(text, secrets).slice(0, 200),
    body: redactJson(body, secrets),
    headers: redactHeaders(headers, secrets),
    cause: summarize(cause, secrets),
  });
}

function failureOf(
  kind: ApiErrorKind,
  code: number,
  retryAfter: number | undefined,
  reason: UnexpectedResponseReason,
): AttemptFailure | undefined {
  if (code >= 400) return { type: "refusal", kind, code, retryAfter };
  return reason === "cut" ? { type: "cutResponse" } : undefined;
}

/** Returns the error for a response that lacks an essential field, or belongs to another request. */
export function responseValidationError(
  call: CallContext,
  response: ResponseHead,
  body: unknown,
  issues: readonly ValidationIssue[],
  reason: ResponseValidationReason = "form",
): ServiceApiError {
  const { operation, secrets } = call;
  const [first] = [...essentialIssues(operation.essential, issues), ...issues];
  const details = detailsOf(call, "unknown", undefined, response);
  const problem = first === undefined ? "" : `: ${formatPath(first.path)} ${first.message}`;
  const warning = reason === "form" ? "" : "Do not use it. ";
  const advice = warning === "" && operation.retry === "safe" ? "" : `${warning}${adviseBy("unknown", operation)} `;
  return new ResponseValidationError({
    ...details,
    message: `${operation.name}: ${refusals[reason]}${problem}. ${advice}\`body\` on this error holds it whole.${namingRequest(details.requestId)}`,
    reason,
    issues,
    httpStatus: response.status,
    body: redactJson(body, secrets),
  });
}

const refusals: Record<ResponseValidationReason, string> = {
  form: "the response does not have the documented form",
  otherRequest: "the response belongs to another request",
};
