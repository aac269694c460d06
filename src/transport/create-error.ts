import { createApiError } from "../errors/api.ts";
import { type ApiErrorKind, type ErrorDetails, type Issue, type Outcome, ServiceApiError } from "../errors/base.ts";
import {
  AbortError,
  ConfigurationError,
  ConnectionError,
  type Deadline,
  formatPath,
  type Phase,
  ResponseValidationError,
  TimeoutError,
  UnexpectedResponseError,
  type UnexpectedResponseReason,
} from "../errors/request.ts";
import type { OperationResponse } from "../operation.ts";
import { ignoreRejection } from "../shared/ignore-rejection.ts";
import { essentialIssues } from "../shared/validate.ts";
import { adviseBy, adviseOn, isApiErrorKind } from "./advice.ts";
import type { Ending } from "./cancellation.ts";
import { classify, effectiveCode } from "./classify.ts";
import { readEnvelope } from "./envelope.ts";
import { isNetworkDenied, wasNeverSent } from "./never-sent.ts";
import type { CallProgress, PreparedCall } from "./prepare.ts";
import { causesOf, codeOf, redact, redactHeaders, redactJson, summarize } from "./redact.ts";
import { namingRequest, readRequestId } from "./request-id.ts";
import { type Failure, isRetryable, parseRetryAfter } from "./retry.ts";

/** Every typed error of a call is made here, from what happened to it. */

/** `fetch` rejected: no connection, or one that broke before the headers. */
export function connectionFailed(call: PreparedCall, error: unknown): ServiceApiError {
  const isDenied = isNetworkDenied(error);
  const sent = !isDenied && !wasNeverSent(error);
  const outcome = sent ? "unknown" : earlier(call);
  // A permission does not come by itself: the same call would be denied again.
  const failure: Failure | undefined = isDenied ? undefined : { type: "connection", sent };
  return new ConnectionError({
    ...details(call, outcome, failure),
    message: `${call.operation.name}: ${whyNoConnection(call, sent, isDenied, outcome)}`,
    code: shown(call, firstCode(error)),
    cause: summarize(error, call.secrets),
  });
}

function whyNoConnection(call: PreparedCall, sent: boolean, isDenied: boolean, outcome: Outcome): string {
  const { host } = new URL(call.url);
  if (sent) return `the connection broke before a response came. ${adviseBy(outcome, call.operation.retry)}`;
  const earlierAttempt = outcome === "notSent" ? "nothing was sent" : "an earlier attempt may have been carried out";
  return isDenied
    ? `the runtime denied network access; ${earlierAttempt}. Allow network access to ${host} (Deno: --allow-net=${host}; Node: --allow-net).`
    : `no connection to ${host} could be made; ${earlierAttempt}. Check \`baseUrl\` and the network.`;
}

const waits: Record<Phase, string> = {
  credentials: "waiting for the credentials",
  headers: "waiting for the response",
  body: "reading the response",
  backoff: "waiting to retry",
};

const optionOf: Record<Deadline, string> = { attempt: "timeout", total: "totalTimeout", stream: "streamTimeout" };

/** The caller's signal or a deadline ended the call. */
export function ended(call: CallProgress, ending: Ending): ServiceApiError {
  const { phase } = call.lifetime;
  const outcome = call.inFlight ? "unknown" : earlier(call);
  const where = waits[phase];
  if (ending.by === "caller") {
    return new AbortError({
      ...details(call, outcome),
      ...call.received,
      message: `${call.operation.name}: aborted by the caller while ${where}.`,
      phase,
      reason: ending.reason,
    });
  }
  return new TimeoutError({
    ...details(call, outcome, ending.deadline === "attempt" ? { type: "attemptTimeout" } : undefined),
    message: `${call.operation.name}: no response within ${ending.timeoutMs} ms (${optionOf[ending.deadline]}), ${where}. ${adviseBy(outcome, call.operation.retry)}`,
    deadline: ending.deadline,
    phase,
    timeoutMs: ending.timeoutMs,
  });
}

/** The response as the hooks of an operation see it. `text` is that of a body which is not JSON. */
export function seenByHooks(response: Response, body: unknown, text?: string): OperationResponse {
  const { verdict, statusCode, message } = readEnvelope(body);
  return { httpStatus: response.status, verdict, statusCode, serviceMessage: message ?? text, body: body ?? text };
}

/** The service refused. `text` is that of a body which is not JSON. */
export function refused(call: PreparedCall, response: Response, body: unknown, text?: string): ServiceApiError {
  const { name, retry } = call.operation;
  // Everything is decided from what came; what is shown is redacted last.
  const seen = seenByHooks(response, body, text);
  const isPending = seen.verdict === "pending";
  const kind = askCaller(call, seen) ?? (isPending ? "in_progress" : classify(seen));
  const code = effectiveCode(seen);
  const retryAfter = parseRetryAfter(response.headers.get("retry-after"));
  const outcome = isRejection(call, seen, kind) ? "rejected" : "unknown";
  const known = details(call, outcome, { type: "refusal", kind, code, retryAfter }, response);
  const isOpen = kind === "unavailable" && outcome === "unknown" && !known.isRetryable;
  const serviceMessage = text === undefined ? shown(call, seen.serviceMessage) : undefined;
  const said = serviceMessage === undefined ? "" : `: ${serviceMessage.slice(0, 200).replace(/[.\s]{1,200}$/, "")}`;
  return createApiError(kind, {
    ...known,
    message:
      `${name}: the service said no (${kind}, HTTP ${response.status}, code ${shown(call, seen.statusCode)?.slice(0, 40) ?? "none"})${said}. ` +
      `${isOpen ? adviseBy(outcome, retry) : adviseOn(kind, retry)}${namingRequest(known.requestId)}`,
    httpStatus: response.status,
    statusCode: shown(call, seen.statusCode),
    serviceMessage,
    body: redactJson(seen.body, call.secrets),
    headers: redactHeaders(response.headers, call.secrets),
    retryAfter,
  });
}

/** The kind that `classifyError` returns. If it throws, or names no kind, the built-in table decides. */
function askCaller(call: PreparedCall, { verdict: _, ...seen }: OperationResponse): ApiErrorKind | undefined {
  try {
    const kind: unknown = call.options.classifyError?.({ operation: call.operation.name, ...seen });
    ignoreRejection(kind);
    return isApiErrorKind(kind) ? kind : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a refusal proves that nothing was done; `classifyError` names kinds, but cannot close what a status leaves open. */
function isRejection(call: PreparedCall, seen: OperationResponse, kind: ApiErrorKind): boolean {
  if (call.operation.isRejection !== undefined) return call.operation.isRejection({ ...seen, kind });
  const isMoved = call.operation.toUnknownOutcomeError !== undefined && openRedirects.has(seen.httpStatus);
  const isOpen = seen.verdict === "pending" || openKinds.has(kind) || isMoved;
  return !isOpen && !isOpenStatus(seen.httpStatus) && !isOpenStatus(effectiveCode(seen));
}

/** After these the request may have been carried out (RFC 9110, 15.4.3 and 15.4.4); it matters if that costs something. */
const openRedirects: ReadonlySet<number> = new Set([302, 303]);

const openKinds: ReadonlySet<ApiErrorKind> = new Set(["in_progress", "duplicate", "unavailable"]);

/** True for a status that does not exclude that the call was carried out. */
function isOpenStatus(status: number): boolean {
  return status >= 500 || status === 408;
}

/** What a redirect came with, if its body was read. */
export interface RedirectBody {
  readonly body: unknown;
  /** Whether the body came whole and readable. */
  readonly isWhole: boolean;
}

/** A redirect; it is never followed, because the credentials would travel with it (docs/assumptions.md, T3). */
export function redirected(call: PreparedCall, response: Response, came?: RedirectBody): ServiceApiError {
  // A `fetch` that followed it has sent the call on, and what came of that is in a response nobody asked for.
  const target = targetHost(response.redirected ? response.url : response.headers.get("location"), call.url);
  const seen = seenByHooks(response, came?.body);
  const isClosed = !response.redirected && came?.isWhole !== false && isRejection(call, seen, "unknown");
  const known = details(call, isClosed ? "rejected" : "unknown", undefined, response);
  return createApiError("unknown", {
    ...known,
    message: `${call.operation.name}: the service redirects to ${shown(call, target)} (HTTP ${response.status}). Redirects are not followed, because the credentials would travel with them; correct \`baseUrl\`.${namingRequest(known.requestId)}`,
    httpStatus: response.status,
    statusCode: shown(call, seen.statusCode),
    serviceMessage: shown(call, seen.serviceMessage),
    body: redactJson(came?.body, call.secrets),
    headers: redactHeaders(response.headers, call.secrets),
  });
}

const reasons: Record<UnexpectedResponseReason, string> = {
  empty: "the response is empty",
  html: "the response is a web page, as a gateway sends it",
  notJson: "the response is not JSON",
  notObject: "the response is JSON but not an object",
  cut: "the response was cut short",
  tooLarge: "the response is larger than maxResponseBytes allows; raise it if that is right",
  badEncoding: "the response is not UTF-8",
  successUnderErrorStatus: "the body says success under an HTTP status that says error",
};

/** Reasons that leave open what the response would have said. */
const undecided: ReadonlySet<UnexpectedResponseReason> = new Set([
  "cut",
  "tooLarge",
  "badEncoding",
  "successUnderErrorStatus",
]);

/** What came is not a response of this service. */
export function unexpected(
  call: PreparedCall,
  response: Response,
  found: {
    readonly reason: UnexpectedResponseReason;
    readonly text: string;
    readonly body?: unknown;
    readonly cause?: unknown;
  },
): UnexpectedResponseError {
  const { status, headers } = response;
  const retryAfter = parseRetryAfter(headers.get("retry-after"));
  const kind = classify({ httpStatus: status, statusCode: undefined, serviceMessage: undefined });
  const isOpen = status < 400 || undecided.has(found.reason) || isOpenStatus(status);
  const known = details(
    call,
    isOpen ? "unknown" : "rejected",
    failureOf(kind, status, retryAfter, found.reason),
    response,
  );
  const isUndecided = known.isRetryable || isOpen;
  const contentType = shown(call, headers.get("content-type") ?? undefined);
  return new UnexpectedResponseError({
    ...known,
    message:
      `${call.operation.name}: ${reasons[found.reason]} (HTTP ${status}, ${contentType ?? "no content type"}). ` +
      `${isUndecided ? adviseUndecided(known.isRetryable, call) : adviseOn(kind, call.operation.retry)}${namingRequest(known.requestId)}`,
    reason: found.reason,
    httpStatus: status,
    contentType,
    retryAfter,
    // Cut last: a secret that was cut is no longer found.
    preview: redact(found.text, call.secrets).slice(0, 200),
    body: redactJson(found.body ?? found.text, call.secrets),
    headers: redactHeaders(headers, call.secrets),
    cause: summarize(found.cause, call.secrets),
  });
}

function failureOf(
  kind: ApiErrorKind,
  code: number,
  retryAfter: number | undefined,
  reason: UnexpectedResponseReason,
): Failure | undefined {
  if (code >= 400) return { type: "refusal", kind, code, retryAfter };
  return reason === "cut" ? { type: "cutAnswer" } : undefined;
}

function adviseUndecided(canRepeat: boolean | undefined, call: PreparedCall): string {
  return adviseBy("unknown", canRepeat ? "safe" : call.operation.retry);
}

/** A schema or function that the caller passed failed on a response: the request was sent, and what it did is not known. */
export function misconfigured(call: PreparedCall, error: unknown): ServiceApiError {
  const reason = ServiceApiError.isInstance(error)
    ? error.message
    : `${call.operation.name}: a schema or function that was given to this library threw while the call was running.`;
  return new ConfigurationError(`${reason} ${adviseBy("unknown", call.operation.retry)}`, {
    ...details(call, "unknown"),
    cause: ServiceApiError.isInstance(error) ? undefined : summarize(error, call.secrets),
  });
}

/** The response lacks what the caller came for. */
export function incomplete(
  call: PreparedCall,
  response: Response,
  body: unknown,
  issues: readonly Issue[],
): ServiceApiError {
  const [first] = [...essentialIssues(call.operation.essential, issues), ...issues];
  const known = details(call, "unknown", undefined, response);
  const what = first === undefined ? "" : `: ${formatPath(first.path)} ${first.message}`;
  return new ResponseValidationError({
    ...known,
    message: `${call.operation.name}: the response does not have the documented form${what}. \`body\` on this error holds it whole.${namingRequest(known.requestId)}`,
    issues,
    httpStatus: response.status,
    body: redactJson(body, call.secrets),
  });
}

function details(
  call: CallProgress & Partial<Pick<PreparedCall, "secrets">>,
  outcome: Outcome,
  failure?: Failure,
  response?: Response,
): Omit<ErrorDetails, "message"> {
  return {
    operation: call.operation.name,
    clientReferenceId: call.clientReferenceId,
    attempts: call.attempts,
    outcome,
    isRetryable: failure !== undefined && isRetryable(call.operation.retry, failure),
    requestId: response && redactedRequestId(response, call.secrets ?? []),
  };
}

/** The ID of the request, as it may be shown. */
export function redactedRequestId(response: Response, secrets: readonly string[]): string | undefined {
  const id = readRequestId(response.headers);
  return id === undefined ? undefined : redact(id, secrets);
}

/** A string of the service as it may be shown. */
function shown(call: PreparedCall, text: string | undefined): string | undefined {
  return text === undefined ? undefined : redact(text, call.secrets);
}

/** What this attempt leaves open if it was not sent itself: what earlier ones left. */
function earlier(call: CallProgress): Outcome {
  return call.mayHaveActed ? "unknown" : "notSent";
}

function targetHost(location: string | null, base: string): string {
  return location !== null && URL.canParse(location, base)
    ? new URL(location, base).host
    : "a URL that it does not name";
}

function firstCode(error: unknown): string | undefined {
  return causesOf(error)
    .map(codeOf)
    .find((code) => code !== undefined);
}
