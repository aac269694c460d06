import type { ServiceApiError, ValidationIssue } from "../errors/base.ts";
import { maskName } from "../errors/issues.ts";
import type { ResponseValidationReason, UnexpectedResponseReason } from "../errors/request.ts";
import { defaults } from "../options.ts";
import { decodeUtf8, joinChunks } from "../shared/bytes.ts";
import { moreIssues } from "../shared/issue-list.ts";
import { isObject, parseJson, repeatsName } from "../shared/json.ts";
import { essentialIssues, isOwnSchema, validate } from "../shared/validate.ts";
import type { CallResult } from "./call.ts";
import type { CallScope } from "./cancellation.ts";
import { type Echoes, readEchoes } from "./echo.ts";
import { type OperationResponse, operationResponse, statusCodeIssue, unexpectedStatusIssues } from "./envelope.ts";
import { askHook, callbackError, redactedRequestId } from "./errors/details.ts";
import { type AnyResponse, leave, makeResponse, type ResponseHead, toResponse } from "./fetch.ts";
import type { EventDetails } from "./log.ts";
import type { PreparedCall } from "./request.ts";

/** The makers of the errors of responses. */
type ResponseErrors = typeof import("./errors/response.ts");

/** A response that is a failure. What makes its error is loaded then: most calls never need it. */
export class FailedResponse {
  readonly response: ResponseHead;
  readonly toError: (errors: ResponseErrors) => ServiceApiError;

  constructor(response: ResponseHead, toError: (errors: ResponseErrors) => ServiceApiError) {
    this.response = response;
    this.toError = toError;
  }
}

/** Browsers hide a redirect behind status 0; a `fetch` that followed one on its own has sent the credentials on. */
export function isRedirect({ status, type, redirected }: ResponseHead): boolean {
  return (status >= 300 && status < 400) || type === "opaqueredirect" || redirected;
}

/**
 * Reads the body and decides whether it is a success; throws a {@link FailedResponse} if it is not. A redirect is not
 * followed, and its body is read only if it may decide the outcome: a 303 after a booking says that it was made, and its
 * body may name it.
 */
export async function readResponse(call: PreparedCall, response: AnyResponse): Promise<CallResult> {
  const { operation, options, reporter, scope } = call;
  const { retry, isSuccess: hook, essential } = operation;
  const saysNothing = response.body === null || (hook === undefined && (retry === "safe" || response.status === 303));
  if (isRedirect(response) && saysNothing) {
    reporter?.report(responseEvent(call, response));
    throw new FailedResponse(response, (errors) => errors.redirectError(call, response));
  }
  let read = await readJson(response, options.maxResponseBytes ?? defaults.maxResponseBytes, scope, call.parse);
  reporter?.report(responseEvent(call, response, { bytes: read.bytes }));
  // What a name says twice, a call that is sent once takes in neither sense.
  if (read.ok && retry === "never" && repeatsName(read.text, read.value))
    read = { ...read, ok: false, reason: "repeatedName" };
  if (read.ok && !isRedirect(response)) reporter?.body(read.value);
  // If a `fetch` followed a redirect, the response is not the service's.
  if (!read.ok || !isObject(read.value) || response.redirected) throw unreadable(call, response, read);

  const body = read.value;
  const echoes = readEchoes(call, body);
  // Before anything else that it says counts: it may be somebody else's.
  if (echoes.refused.length > 0) throw invalid(call, response, body, echoes.refused, "otherRequest");
  const seen = operationResponse(response, body);
  const isSuccess = hook && askHook(call, () => hook(seen, options));
  if (isSuccess !== true) refuseByStatus(call, response, seen, read.text);
  if (echoes.missing.length > 0) throw invalid(call, response, body, echoes.missing, "otherRequest");
  // From here on neither a deadline nor an abort ends what the operation calls a success.
  if (isSuccess === true) scope.close();

  const issues = await differencesOf(call, seen, echoes, isSuccess);
  if (isSuccess === true) {
    const whole = isRedirect(response) ? makeResponse(read.text, toResponse(response)) : response;
    return resultOf(call, whole, body, [...issues, ...acceptedStatusIssues(seen, issues)]);
  }
  if (isSuccess === false) throw invalid(call, response, body, [refusedByHook, ...issues]);
  if (issues.length === 0) return resultOf(call, response, body, issues);
  const isStrict = options.validation?.response === "strict";
  if ((isStrict && issues.some((issue) => issue !== notSuccess)) || essentialIssues(essential, issues).length > 0)
    throw invalid(call, response, body, issues);
  return resultOf(call, response, body, issues);
}

/** Throws if the status of a response, its own or that of HTTP, is not a success. */
function refuseByStatus(call: PreparedCall, response: ResponseHead, seen: OperationResponse, text: string): void {
  const { verdict, httpStatus, body } = seen;
  const isRefusal = verdict === "failed" || verdict === "pending";
  const fail = (toError: FailedResponse["toError"]) => new FailedResponse(response, toError);
  if (isRedirect(response) && !isRefusal)
    throw fail((errors) => errors.redirectError(call, response, { body, isWhole: true }));
  if (verdict === "success" && httpStatus >= 400) {
    const found = { reason: "successUnderErrorStatus", text, body } as const;
    throw fail((errors) => errors.unexpectedResponseError(call, response, found));
  }
  if (isRefusal || httpStatus >= 400) throw fail((errors) => errors.apiError(call, response, body));
  const found = unexpectedStatusIssues(call.operation, seen);
  if (found.length > 0) throw invalid(call, response, body, found);
}

/** Returns and reports all differences of a response: from its request, within itself, and from the schema. */
async function differencesOf(
  call: PreparedCall,
  { verdict, statusCode, body }: OperationResponse,
  echoes: Echoes,
  isSuccess: boolean | undefined,
): Promise<readonly ValidationIssue[]> {
  const { operation, options, reporter } = call;
  if (options.validation?.response === "off") return [];
  const issues = [...echoes.warned];
  if (verdict === "success" && Number(statusCode) >= 400)
    issues.push(statusCodeIssue(body, "is the code of a refusal, beside a success"));
  try {
    issues.push(...((await validate(operation.body, body, operation.name)) ?? []));
  } catch (error) {
    // What the operation calls a success reaches the caller.
    if (isSuccess !== true) throw callbackError(call, error);
    issues.push({ path: [], message: "could not be checked: the check of this operation threw", code: "not_checked" });
  }
  // What an operation of the application accepts is for its schema to say.
  if (verdict === "unknown" && isOwnSchema(operation.body) && !isOfStatus(issues)) issues.push(notSuccess);
  const paths = issues
    .filter(({ code }) => code !== moreIssues)
    .map(({ path }) => path.map((name) => maskName(String(name))).join("."));
  if (issues.length > 0) reporter?.report({ type: "drift", paths });
  return issues;
}

/** Returns the issues of the statuses of a response that the operation calls a success. */
function acceptedStatusIssues(
  { verdict, httpStatus }: OperationResponse,
  known: readonly ValidationIssue[],
): readonly ValidationIssue[] {
  const issues: ValidationIssue[] = [];
  if (verdict !== "success" && !isOfStatus(known)) issues.push(notSuccess);
  if (httpStatus < 200 || httpStatus >= 300)
    issues.push({ path: [], message: `came with HTTP ${httpStatus}`, code: "unexpected_http_status" });
  return issues;
}

function isOfStatus(issues: readonly ValidationIssue[]): boolean {
  return issues.some(({ path }) => path[0] === "status");
}

const refusedByHook: ValidationIssue = {
  path: [],
  message: "is not a success: `isSuccess` of the operation returned false",
  code: "not_success",
};

/** Other values may occur (docs/assumptions.md, A6), and are not refused: the document lists one of a success. */
export const notSuccess: ValidationIssue = {
  path: ["status"],
  message: "does not say success",
  code: "unexpected_status",
};

export function resultOf(
  { clientReferenceId, progress, secrets }: PreparedCall,
  response: AnyResponse,
  data: unknown,
  warnings: readonly ValidationIssue[],
): CallResult {
  const result = { data, response, attempts: progress.attempts, clientReferenceId, secrets, warnings };
  if (isObject(data)) results.set(data, result);
  return result;
}

/** The response that each body came with, and what must not be printed of it. */
export const results = new WeakMap<object, { readonly response: ResponseHead; readonly secrets: readonly string[] }>();

/**
 * Returns the ID that the service, or a gateway before it, gave the request of a result, if it has one: the same as
 * `requestId` of `withResponse()`. Quote it to the service operator.
 *
 * @param result - The body that a call or `finalResponse()` returned: the object itself, not a copy.
 *
 * @example
 * ```ts
 * import { requestIdOf, ServiceApi } from "serviceapi";
 *
 * const quote = await new ServiceApi().flights.fareQuote({ trace_id, token });
 * console.log(requestIdOf(quote)); // "8f3a…", or undefined
 * ```
 */
export function requestIdOf(result: object): string | undefined {
  const found = results.get(result);
  return found && redactedRequestId(found.response, found.secrets);
}

/** The event of a response, whose body the receiver reads unless its size is given. */
export function responseEvent(
  { progress, secrets }: PreparedCall,
  response: AnyResponse,
  body?: { readonly bytes: number },
): EventDetails {
  return {
    type: "response",
    attempt: progress.attempts,
    httpStatus: response.status,
    requestId: redactedRequestId(response, secrets),
    duration: performance.now() - progress.attemptedAt,
    ...body,
  };
}

/**
 * The body is not a response of the service. For a call that is sent once, a 4xx is a refusal whose words count, even
 * when a gateway wrote the page, unless a part of it is missing.
 */
function unreadable(call: PreparedCall, response: ResponseHead, read: ReadBody): FailedResponse {
  const { retry, isRejection, toUnknownOutcomeError } = call.operation;
  const body = read.ok ? read.value : undefined;
  /** Whether it was received completely, as far as can be known. */
  const isWhole = read.ok || ["empty", "html", "notJson"].includes(read.reason);
  if (isRedirect(response)) {
    const came = { body: read.ok ? body : read.text, isWhole };
    return new FailedResponse(response, (errors) => errors.redirectError(call, response, came));
  }
  const hasOwnVerdict = retry === "never" || isRejection !== undefined || toUnknownOutcomeError !== undefined;
  const isRefusal = hasOwnVerdict && response.status >= 400 && response.status < 500;
  return new FailedResponse(response, (errors) =>
    isRefusal && isWhole
      ? errors.apiError(call, response, body, read.text)
      : errors.unexpectedResponseError(call, response, { ...read, reason: read.ok ? "notObject" : read.reason, body }),
  );
}

function invalid(
  call: PreparedCall,
  response: ResponseHead,
  body: unknown,
  issues: readonly ValidationIssue[],
  reason?: ResponseValidationReason,
): FailedResponse {
  return new FailedResponse(response, (errors) => errors.responseValidationError(call, response, body, issues, reason));
}

/** A body that was read to its end, or the reason why it was not. */
type ReadBody =
  | { readonly ok: true; readonly text: string; readonly value: unknown; readonly bytes: number }
  | {
      readonly ok: false;
      readonly reason: UnexpectedResponseReason;
      readonly text: string;
      readonly bytes: number;
      readonly cause?: unknown;
    };

/**
 * Reads a body as JSON: bounded after decompression, in time linear in its size, and cancelled with the attempt.
 * A failure includes the content that was received before it.
 */
export async function readJson(
  response: Pick<AnyResponse, "body">,
  maxBytes: number,
  scope: CallScope,
  parse: (text: string) => unknown = parseJson,
): Promise<ReadBody> {
  const { body } = response;
  const chunks: Uint8Array[] = [];
  let size = 0;
  const fits = (chunk: Uint8Array) => {
    chunks.push(chunk);
    size += chunk.byteLength;
    return size <= maxBytes;
  };
  let problem: UnexpectedResponseReason | undefined;
  let cause: unknown;
  try {
    // A direct body needs no help to end with the signal of its request.
    if (body !== null && "getReader" in body) await readStream(body.getReader(), fits, scope);
    else await body?.read(fits);
    if (size > maxBytes) problem = "tooLarge";
  } catch (error) {
    problem = "cut";
    cause = error;
  }
  const received = joinChunks(chunks);
  const bytes = received.byteLength;
  const text = problem === undefined ? decodeUtf8(received) : undefined;
  if (text === undefined) {
    const asFarAsRead = new TextDecoder().decode(received);
    problem ??= endsWithinCharacter(received) ? reasonOf(asFarAsRead) : "badEncoding";
    return { ok: false, reason: problem, text: asFarAsRead, bytes, cause };
  }
  const value = parse(text);
  return value === undefined ? { ok: false, reason: reasonOf(text), text, bytes } : { ok: true, text, value, bytes };
}

/** Reads a stream until `fits` returns false. */
async function readStream(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  fits: (chunk: Uint8Array) => boolean,
  scope: CallScope,
): Promise<void> {
  scope.onCancel(() => leave(reader));
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    if (!fits(value)) return leave(reader);
  }
}

/** Returns whether bytes that are not valid UTF-8 only lack the end of their last character. */
function endsWithinCharacter(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

function reasonOf(text: string): UnexpectedResponseReason {
  const trimmed = text.trim();
  if (trimmed === "") return "empty";
  if (/^<(!doctype|html|\?xml|head|body)/i.test(trimmed)) return "html";
  if (!/^[{[]/.test(trimmed)) return "notJson";
  // Without escapes, a quote ends each string. One pattern for both would not bear a string of many megabytes.
  const bare = trimmed.replaceAll(/\\./gs, "").replaceAll(/"[^"]*(?:"|$)/g, "");
  const isOpen = bare.replaceAll(/[^{[]+/g, "").length > bare.replaceAll(/[^}\]]+/g, "").length;
  return isOpen || !/[}\]]$/.test(trimmed) ? "cut" : "notJson";
}
