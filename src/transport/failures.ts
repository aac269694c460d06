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
import { advice, classify, effectiveCode, type Refusal } from "./classify.ts";
import { readEnvelope } from "./envelope.ts";
import { wasNeverSent } from "./fetch.ts";
import type { Ending } from "./lifetime.ts";
import type { CallProgress, PreparedCall } from "./prepare.ts";
import { causesOf, codeOf, redact, summarize } from "./redact.ts";
import { type Failure, isRetryable, parseRetryAfter } from "./retry.ts";
import { essentialIssues } from "./validate.ts";

/** Every typed error of a call is made here, from what happened to it. */

/** `fetch` rejected: no connection, or one that broke before the headers. */
export function connectionFailed(call: PreparedCall, error: unknown): ServiceApiError {
  const sent = !wasNeverSent(error);
  const outcome = sent ? "unknown" : earlier(call);
  return new ConnectionError({
    ...details(call, outcome, { type: "connection", sent }),
    message: sent
      ? `${call.operation.name}: the connection broke before an answer came. ${repeatAdvice(call, outcome)}`
      : `${call.operation.name}: no connection to ${new URL(call.url).host} could be made; ${earlierAttempt(outcome)}. Check the base address and the network.`,
    code: firstCode(error),
    cause: summarize(error, call.secrets),
  });
}

const waits: Record<Phase, string> = {
  credentials: "waiting for the credentials",
  headers: "waiting for the answer",
  body: "reading the answer",
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
    message: `${call.operation.name}: no answer within ${ending.timeoutMs} ms (${optionOf[ending.deadline]}), ${where}. ${repeatAdvice(call, outcome)}`,
    deadline: ending.deadline,
    phase,
    timeoutMs: ending.timeoutMs,
  });
}

/** The service said no. */
export function refused(call: PreparedCall, response: Response, body: unknown): ServiceApiError {
  const envelope = readEnvelope(body);
  const refusal: Refusal = {
    httpStatus: response.status,
    statusCode: envelope.statusCode,
    serviceMessage: envelope.message === undefined ? undefined : redact(envelope.message, call.secrets),
  };
  const isPending = envelope.verdict === "pending";
  const kind = askCaller(call, refusal, body) ?? (isPending ? "in_progress" : classify(refusal));
  const code = effectiveCode(refusal);
  const retryAfter = parseRetryAfter(response.headers.get("retry-after"));
  const said =
    refusal.serviceMessage === undefined ? "" : `: ${refusal.serviceMessage.slice(0, 200).replace(/[.\s]*$/, "")}`;
  // `classifyError` names kinds; what a status leaves open it cannot close (policy 30).
  const outcome = isPending || mayHaveActed(kind, code, response.status) ? "unknown" : "rejected";
  const known = details(call, outcome, { type: "refusal", code, retryAfter });
  const isOpen = kind === "unavailable" && outcome === "unknown" && !known.isRetryable;
  const next = isOpen ? repeatAdvice(call) : advice[kind];
  return createApiError(kind, {
    ...known,
    ...refusal,
    message: `${call.operation.name}: the service said no (${kind}, HTTP ${response.status}, code ${envelope.statusCode ?? "none"})${said}. ${next}`,
    body,
    headers: response.headers,
    retryAfter,
  });
}

/** The kind that `classifyError` gives. One that throws, or names no kind, leaves the decision to the table. */
function askCaller(call: PreparedCall, refusal: Refusal, body: unknown): ApiErrorKind | undefined {
  try {
    const kind = call.options.classifyError?.({ operation: call.operation.name, ...refusal, body });
    return kind !== undefined && Object.hasOwn(advice, kind) ? kind : undefined;
  } catch {
    return undefined;
  }
}

/** A redirect; it is never followed, because the credentials would travel with it (policy 3). */
export function redirected(call: PreparedCall, response: Response): ServiceApiError {
  // A `fetch` that followed it has sent the call on, and what came of that is in an answer nobody asked for.
  const target = targetHost(response.redirected ? response.url : response.headers.get("location"), call.url);
  return createApiError("unknown", {
    ...details(call, response.redirected ? "unknown" : "rejected"),
    message: `${call.operation.name}: the service redirects to ${target} (HTTP ${response.status}). Redirects are not followed, because the credentials would travel with them; correct the base address.`,
    httpStatus: response.status,
    statusCode: undefined,
    serviceMessage: undefined,
    body: undefined,
    headers: response.headers,
  });
}

const reasons: Record<UnexpectedResponseReason, string> = {
  empty: "the answer is empty",
  html: "the answer is a web page, as a gateway sends it",
  notJson: "the answer is not JSON",
  notObject: "the answer is JSON but no object",
  cut: "the answer was cut short",
  tooLarge: "the answer is larger than maxResponseBytes allows; raise it if that is right",
  badEncoding: "the answer is not UTF-8",
  successUnderErrorStatus: "the body says success under an HTTP status that says error",
};

/** What came is no answer of this service. */
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
  const failure: Failure | undefined =
    status >= 400
      ? { type: "refusal", code: status, retryAfter }
      : found.reason === "cut"
        ? { type: "cutAnswer" }
        : undefined;
  const isOpen = status < 400 || found.reason === "successUnderErrorStatus" || mayHaveActed("unknown", status, status);
  const outcome = isOpen ? "unknown" : "rejected";
  const contentType = headers.get("content-type") ?? undefined;
  const known = details(call, outcome, failure);
  const kind = classify({ httpStatus: status, statusCode: undefined, serviceMessage: undefined });
  const next = known.isRetryable ? "It may be repeated." : outcome === "unknown" ? repeatAdvice(call) : advice[kind];
  return new UnexpectedResponseError({
    ...known,
    message: `${call.operation.name}: ${reasons[found.reason]} (HTTP ${status}, ${contentType ?? "no content type"}). ${next}`,
    reason: found.reason,
    httpStatus: status,
    contentType,
    retryAfter,
    // Cut last: a secret that was cut is no longer found.
    preview: redact(found.text.slice(0, 4_000), call.secrets).slice(0, 200),
    body: found.body ?? found.text,
    headers,
    cause: summarize(found.cause, call.secrets),
  });
}

/** A schema or function that the caller gave failed on an answer: the request was sent, and what it did is not known. */
export function misconfigured(call: PreparedCall, error: unknown): ServiceApiError {
  const reason = ServiceApiError.isInstance(error)
    ? error.message
    : `${call.operation.name}: a schema or function that was given to this library threw while the call was running.`;
  return new ConfigurationError(`${reason} ${repeatAdvice(call)}`, {
    ...details(call, "unknown"),
    cause: ServiceApiError.isInstance(error) ? undefined : summarize(error, call.secrets),
  });
}

/** The answer lacks what the caller came for. */
export function incomplete(call: PreparedCall, body: unknown, issues: readonly Issue[]): ServiceApiError {
  const [first] = [...essentialIssues(call.operation.essential, issues), ...issues];
  return new ResponseValidationError({
    ...details(call, "unknown"),
    message: `${call.operation.name}: the answer is not of the documented form: ${first === undefined ? "" : `${formatPath(first.path)} ${first.message}`}. The error's body holds it whole.`,
    issues,
    body,
  });
}

function details(call: CallProgress, outcome: Outcome, failure?: Failure): Omit<ErrorDetails, "message"> {
  return {
    operation: call.operation.name,
    clientReferenceId: call.clientReferenceId,
    attempts: call.attempts,
    outcome,
    isRetryable: failure !== undefined && isRetryable(call.operation.retry, failure),
  };
}

/** What this attempt leaves open when it was not sent itself: what earlier ones left. */
function earlier(call: CallProgress): Outcome {
  return call.mayHaveActed ? "unknown" : "notSent";
}

/** True for a refusal that does not exclude that the call was carried out. */
function mayHaveActed(kind: ApiErrorKind, code: number, httpStatus: number): boolean {
  return kind === "in_progress" || code >= 500 || httpStatus >= 500 || code === 408 || httpStatus === 408;
}

function earlierAttempt(outcome: Outcome): string {
  return outcome === "notSent" ? "nothing was sent" : "an earlier attempt may have been carried out";
}

function repeatAdvice(call: CallProgress, outcome: Outcome = "unknown"): string {
  if (outcome === "notSent") return "Nothing was sent.";
  return call.operation.retry === "safe"
    ? "It may be repeated."
    : "It may have been carried out: look it up by its client_referenceId before repeating it.";
}

function targetHost(location: string | null, base: string): string {
  return location !== null && URL.canParse(location, base)
    ? new URL(location, base).host
    : "an address it does not name";
}

function firstCode(error: unknown): string | undefined {
  return causesOf(error)
    .map(codeOf)
    .find((code) => code !== undefined);
}
