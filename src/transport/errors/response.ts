import { type ApiError, createApiError } from "../../errors/api.ts";
import {
  type ApiErrorKind,
  rejectedKinds,
  remedyOf,
  type ServiceApiError,
  type ValidationIssue,
} from "../../errors/base.ts";
import { formatPath, maskPath } from "../../errors/issues.ts";
import { oneLine } from "../../errors/one-line.ts";
import {
  ResponseValidationError,
  type ResponseValidationReason,
  UnexpectedResponseError,
  type UnexpectedResponseReason,
} from "../../errors/request.ts";
import { quietly } from "../../shared/promises.ts";
import { essentialIssues } from "../../shared/validate.ts";
import { isOfService, type OperationResponse, operationResponse } from "../envelope.ts";
import type { ResponseHead } from "../fetch.ts";
import { redact, redactHeaders, redactJson, summarize } from "../redact.ts";
import type { RefusalProof } from "../refusals/proof.ts";
import type { CallContext, CalledOperation } from "../request.ts";
import { type AttemptFailure, parseRetryAfter } from "../retry-policy.ts";
import { adviseOn, wrongPath } from "./advice.ts";
import { classifiable, classify, effectiveCode } from "./classify.ts";
import { adviseBy, adviseOnEarlier, askHook, detailsOf, namingRequest, safeToRetry } from "./details.ts";

/**
 * Returns the error for a refusal by the service. The decisions use the unredacted response; redaction comes last.
 *
 * @param text - The body, if it is not JSON.
 */
export function apiError(call: CallContext, response: ResponseHead, body: unknown, text?: string): ApiError {
  const { operation, secrets } = call;
  const seen = operationResponse(response, body, text);
  const proof = proofOf(call, seen);
  const kind = askCaller(call, seen) ?? kindOf(operation, seen, proof);
  const code = effectiveCode(seen);
  const retryAfter = parseRetryAfter(response.headers.get("retry-after"));
  const outcome = isRejection(call, seen, kind, proof) ? "rejected" : "unknown";
  const details = detailsOf(call, outcome, refusalOf(kind, code, retryAfter), response);
  // By its kind, unless the call may have been carried out.
  const isUnsafe = details.outcome === "unknown" && !details.isRetryable && remedyOf(kind) !== "lookUp";
  let advice = adviseOn(kind, operation, code);
  if (isUnsafe && (operation.retry === "never" || kind === "unavailable"))
    advice = adviseBy(details.outcome, operation);
  else advice += adviseOnEarlier(outcome, details.outcome, operation);
  if (kind === "unknown" && response.status === 404) advice = wrongPath;
  if (kind === "invalid" && text !== undefined && !isUnsafe)
    advice = "A gateway may have written it: see `body`, and check `baseUrl`.";
  const unrecognized = outcome === "unknown" && kind !== "duplicate" ? redact(proof?.unrecognized, secrets) : undefined;
  const received = receivedIn(response, text === undefined ? seen : { ...seen, serviceMessage: undefined }, secrets);
  const { statusCode, serviceMessage } = received;
  return createApiError(kind, {
    ...details,
    ...received,
    message:
      `${operation.name}: the service refused the call (${kind}, HTTP ${response.status}, code ${statusCode?.slice(0, 40) ?? "none"})${text === undefined ? quoted(serviceMessage) : ", in a body that is not JSON"}. ` +
      `${advice}${namingUnrecognized(unrecognized)}${namingRequest(details.requestId)}`,
    unrecognized,
    retryAfter,
  });
}

/** The fields of a refusal that the service wrote, without secrets. */
function receivedIn(response: ResponseHead, seen: OperationResponse, secrets: readonly string[]) {
  return {
    httpStatus: response.status,
    statusCode: redact(seen.statusCode, secrets),
    serviceMessage: redact(seen.serviceMessage, secrets),
    body: redactJson(seen.body, secrets),
    headers: redactHeaders(response.headers, secrets),
  };
}

function refusalOf(kind: ApiErrorKind, code: number, retryAfter: number | undefined): AttemptFailure {
  return { remedy: remedyOf(kind), code, retryAfter };
}

/**
 * The kind by the built-in table. A 404 without a status or a code of the service says nothing of what was looked up:
 * it is that of a gateway, or of a server without this path.
 */
function kindOf({ retry }: CalledOperation, seen: OperationResponse, proof: RefusalProof | undefined): ApiErrorKind {
  const { verdict, serviceMessage = "", body } = seen;
  if (verdict === "pending") return "in_progress";
  const kind = classify(seen);
  const said = proof?.kind;
  // To a code of 400, words of these kinds add nothing.
  const isVague = said === "unknown" || said === "not_found";
  if (said !== undefined && (kind === "unknown" || (kind === "invalid" && !isVague))) return said;
  const isOfGateway = retry === "safe" && seen.httpStatus === 404 && !isOfService(body);
  return kind === "not_found" && isOfGateway && !/\bupi\b/i.test(classifiable(serviceMessage)) ? "unknown" : kind;
}

/** The kind that `classifyError` returns. If it throws or returns none, the built-in table decides. */
function askCaller(
  { operation, options }: CallContext,
  { verdict: _, ...seen }: OperationResponse,
): ApiErrorKind | undefined {
  const kind: unknown = quietly(() => options.classifyError?.({ operation: operation.name, ...seen }));
  return remedyOf(kind) && (kind as ApiErrorKind);
}

/** The proof that a call that is sent once was refused. Whether others were matters less. */
function proofOf({ operation, prove }: CallContext, seen: OperationResponse) {
  return operation.retry === "never" ? (prove?.(seen) ?? unproved) : undefined;
}

/** A copy of a look-up that is to be sent once has nothing that proves a refusal. */
const unproved: RefusalProof = { isProved: false };

/** Whether nothing was done. `classifyError` chooses the kind, and can only make an outcome unknown. */
function isRejection(
  call: CallContext,
  seen: OperationResponse,
  kind: ApiErrorKind,
  proof: RefusalProof | undefined,
): boolean {
  const { isRejection: hook, retry } = call.operation;
  if (hook !== undefined) return askHook(call, () => hook({ ...seen, kind })) === true;
  if (seen.verdict === "pending" || seen.verdict === "success" || !Object.hasOwn(rejectedKinds, kind)) return false;
  // The result of what was carried out is elsewhere.
  const isSeeOther = seen.httpStatus === 303 && retry !== "safe";
  return proof?.isProved ?? !(isSeeOther || leavesUnknown(seen.httpStatus) || leavesUnknown(effectiveCode(seen)));
}

/** Whether it is unknown after this status whether the call was carried out. */
function leavesUnknown(status: number): boolean {
  return status >= 500 || status === 408;
}

/** Says what keeps a refusal from being proved, and what to do if it is one. */
export function namingUnrecognized(part: string | undefined): string {
  if (part === undefined) return "";
  return ` "${oneLine(part)}" is not known as part of a refusal. If the operator confirms that nothing is done then, add the sentence to \`knownMessages.refused\`.`;
}

/** Returns the service's message, for an error message of one line. */
function quoted(serviceMessage: string | undefined): string {
  const said = serviceMessage?.slice(0, 200).replace(/[.\s]{1,200}$/, "");
  return said ? `: ${said}` : "";
}

/**
 * Returns the error for a redirect, which is not followed because the credentials would travel with it
 * (docs/assumptions.md, T3).
 *
 * @param came - The body, if it was read, and whether it was received completely and is readable.
 */
export function redirectError(
  call: CallContext & { readonly url: string },
  response: ResponseHead,
  came?: { readonly body: unknown; readonly isWhole: boolean },
): ServiceApiError {
  const { operation, secrets } = call;
  // A `fetch` that followed it has sent the call on, and this is not the service's response.
  const target = targetHost(response.redirected ? response.url : response.headers.get("location"), call.url);
  const seen = operationResponse(response, came?.body);
  const isClosed =
    !response.redirected && came?.isWhole !== false && isRejection(call, seen, "unknown", proofOf(call, seen));
  const details = detailsOf(call, isClosed ? "rejected" : "unknown", undefined, response);
  return createApiError("unknown", {
    ...details,
    message: `${operation.name}: the service redirects to ${redact(target, secrets)} (HTTP ${response.status}). Redirects are not followed, because the credentials would travel with them; correct \`baseUrl\`.${namingRequest(details.requestId)}`,
    ...receivedIn(response, seen, secrets),
  });
}

function targetHost(location: string | null, base: string): string {
  return location !== null && URL.canParse(location, base)
    ? new URL(location, base).host
    : "a URL that it does not name";
}

/** The problem, and whether it is unknown then what the response would have said. */
const reasons: Record<UnexpectedResponseReason, readonly [text: string, isUnknown?: true]> = {
  empty: ["the response is empty"],
  html: ["the response is a web page, as a gateway sends it"],
  notJson: ["the response is not JSON"],
  notObject: ["the response is JSON but not an object"],
  cut: ["the response was cut short", true],
  tooLarge: ["the response is larger than `maxResponseBytes` allows; raise it if that is right", true],
  badEncoding: ["the response is not UTF-8", true],
  repeatedName: ["an object in the response has a name twice", true],
  successUnderErrorStatus: ["the body says success under an HTTP status that says error", true],
};

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
  const kind = classify({ httpStatus: status });
  const [problem, isUnknown = false] = reasons[reason];
  const outcome = status < 400 || isUnknown || leavesUnknown(status) || kind === "duplicate" ? "unknown" : "rejected";
  // What was cut or says success may be done: only a look-up is asked for again.
  const isFinal = isUnknown && operation.retry !== "safe";
  let failure: AttemptFailure | undefined = reason === "cut" ? "lost" : undefined;
  if (status >= 400) failure = refusalOf(kind, status, retryAfter);
  const details = detailsOf(call, outcome, isFinal ? undefined : failure, response);
  // `kind` is that of the HTTP status.
  let advice = outcome === "unknown" ? adviseBy(outcome, operation) : adviseOn(kind, operation, status);
  if (kind === "not_found") advice = wrongPath;
  advice += adviseOnEarlier(outcome, details.outcome, operation);
  if (details.isRetryable) advice = safeToRetry;
  // A site that is not the service.
  if (reason === "html" && status < 400) advice += " Check `baseUrl` too.";
  const contentType = redact(headers.get("content-type") ?? undefined, secrets);
  return new UnexpectedResponseError({
    ...details,
    message:
      `${operation.name}: ${problem} (HTTP ${status}, ${contentType ?? "no content type"}). ` +
      `${advice}${namingRequest(details.requestId)}`,
    reason,
    httpStatus: status,
    contentType,
    retryAfter,
    // Cut last: the piece of a secret that remains may be too short to be found.
    preview: redact(text.slice(0, 10_000), secrets).slice(0, 200),
    body: redactJson(body, secrets),
    headers: redactHeaders(headers, secrets),
    cause: summarize(cause, secrets),
  });
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
  const shown = issues.map(maskPath);
  const [problem] = [...essentialIssues(operation.essential, shown), ...shown].map(
    ({ path, message }) => `${formatPath(path)} ${message}`,
  );
  const details = detailsOf(call, "unknown", undefined, response);
  const warning = reason === "form" ? "" : "Do not use it. ";
  const advice = warning === "" && operation.retry === "safe" ? "" : `${warning}${adviseBy("unknown", operation)} `;
  return new ResponseValidationError({
    ...details,
    message: `${operation.name}: ${invalidities[reason]}: ${problem}. ${advice}\`body\` on this error holds it whole.${namingRequest(details.requestId)}`,
    reason,
    issues: shown,
    httpStatus: response.status,
    body: redactJson(body, secrets),
  });
}

const invalidities: Record<ResponseValidationReason, string> = {
  form: "the response does not have the documented form",
  otherRequest: "the response belongs to another request",
};
