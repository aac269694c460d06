import { type Issue, ServiceApiError } from "../errors/base.ts";
import type { UnexpectedResponseReason } from "../errors/request.ts";
import type { OperationResponse } from "../operation.ts";
import { moreIssues } from "../shared/issue-list.ts";
import { isObject } from "../shared/json.ts";
import { runSendCheck } from "../shared/send-check.ts";
import { essentialIssues, validate } from "../shared/validate.ts";
import type { AskWant, WithResponse } from "./call.ts";
import * as failures from "./create-error.ts";
import type { PreparedCall } from "./prepare.ts";
import { type ReadBody, readJson } from "./read-body.ts";
import { delayBeforeRetry } from "./retry.ts";
import { endingWith } from "./runtime-fetch.ts";

/** An answer whose body was read and checked, or a response whose body is somebody else's to read. */
export type Answer = WithResponse<unknown>;

/**
 * One attempt: one request, one answer or one typed error. Its deadline covers headers and body, and dripping bytes do
 * not move it.
 */
export async function attempt(call: PreparedCall, want: AskWant): Promise<Answer> {
  const { lifetime } = call;
  lifetime.beginAttempt(call.options.timeout ?? call.operation.timeout);
  try {
    const { response, headersMs } = await exchange(call);
    if (isRedirect(response)) {
      lifetime.phase = "body";
      const answer = await lifetime.wait(readRedirect(call, response, headersMs));
      lifetime.close();
      return answer;
    }
    const asked = want();
    const wanted = asked instanceof Promise ? await lifetime.waitForCaller(asked) : asked;
    const handedOver = wanted === "response" || (wanted === "stream" && response.status < 300);
    if (handedOver) reportResponse(call, response, headersMs);
    else lifetime.phase = "body";
    if (wanted === "response") refuseUnlessFinal(call, response);
    const answer = handedOver
      ? answerOf(call, wanted === "response" ? endingWith(lifetime.signal, response) : response, undefined, [])
      : await lifetime.wait(readAnswer(call, response, headersMs));
    lifetime.endAttempt();
    if (wanted === "response") lifetime.closeButFor(answer.response.body);
    return answer;
  } catch (error) {
    const { ending } = lifetime;
    const failure = ending === undefined ? typed(call, error) : failures.ended(call, ending);
    if (failure.outcome === "unknown") call.mayHaveActed = true;
    lifetime.abandonAttempt();
    throw failure;
  } finally {
    call.inFlight = false;
  }
}

/**
 * What went wrong as one of our errors. One that knows of no request comes from the caller's own schema or function, unless it
 * kept the request from leaving.
 */
function typed(call: PreparedCall, error: unknown): ServiceApiError {
  const isOurs = ServiceApiError.isInstance(error) && (error.attempts > 0 || !call.inFlight);
  return isOurs ? error : failures.misconfigured(call, error);
}

/** Sends the request and waits for the headers. */
async function exchange(call: PreparedCall): Promise<{ readonly response: Response; readonly headersMs: number }> {
  const { lifetime, reporter } = call;
  if (lifetime.ending !== undefined) throw new Error("ended");
  reporter.request(call.attempts + 1, call.json, call.body);
  const { timeout = call.operation.timeout } = call.options;
  if (call.operation.retry === "never") {
    const limit = Math.min(timeout === false ? Number.POSITIVE_INFINITY : timeout, lifetime.remaining);
    runSendCheck({ clientReferenceId: call.clientReferenceId, signal: call.options.signal }, limit);
  }
  // The functions that were just called may have aborted the call.
  if (lifetime.ending !== undefined) throw new Error("ended");
  call.attempts++;
  call.sentAt ||= Date.now();
  call.inFlight = true;
  const startedAt = performance.now();
  let sending: Promise<Response> | undefined;
  let response: Response;
  try {
    sending = call.send(call.url, {
      method: "POST",
      headers: call.headers,
      body: call.json,
      signal: lifetime.signal,
      redirect: "manual",
    });
    response = await lifetime.wait(sending);
  } catch (error) {
    // A `fetch` that ignores the signal may still answer: nobody would read it.
    sending?.then((late) => late.body?.cancel()).catch(() => {});
    throw failures.connectionFailed(call, error);
  }
  return { response, headersMs: performance.now() - startedAt };
}

function reportResponse(call: PreparedCall, { status }: Response, durationMs: number, bytes?: number): void {
  const size = bytes === undefined ? {} : { bytes };
  call.reporter.report({ type: "response", attempt: call.attempts, httpStatus: status, durationMs, ...size });
}

/** Browsers hide a redirect behind status 0; a `fetch` that followed one by itself has sent the credentials on. */
function isRedirect(response: Response): boolean {
  return (response.status >= 300 && response.status < 400) || response.type === "opaqueredirect" || response.redirected;
}

/** For `asResponse()`, which resolves for any final status: throws when this one leads to a retry. Its body stays unread. */
function refuseUnlessFinal(call: PreparedCall, response: Response): void {
  if (response.status < 400) return;
  const refusal = failures.refused(call, response, undefined);
  if (delayBeforeRetry(call, refusal) !== undefined) throw refusal;
}

/**
 * A redirect is never followed. Its body is read only if the operation judges the whole response: a 303 after a booking
 * says that it was made, and its body may name it.
 */
async function readRedirect(call: PreparedCall, response: Response, headersMs: number): Promise<Answer> {
  if (call.operation.isSuccess === undefined || response.body === null) {
    reportResponse(call, response, headersMs);
    throw failures.redirected(call, response);
  }
  const read = await readBody(call, response, headersMs);
  const body = read.ok ? read.value : read.text;
  // Whoever a `fetch` followed a redirect to is not the service.
  if (response.redirected || !isObject(body)) {
    throw failures.redirected(call, response, { body, isWhole: read.ok || isWhole(read.reason) });
  }
  const seen = failures.seenByHooks(response, body);
  if (call.operation.isSuccess(seen)) {
    return answerOf(call, new Response(read.text, response), body, warningsOf(call, seen, body));
  }
  const isRefusal = seen.verdict === "failed" || seen.verdict === "pending";
  throw isRefusal
    ? failures.refused(call, response, body)
    : failures.redirected(call, response, { body, isWhole: true });
}

function isWhole(reason: UnexpectedResponseReason): boolean {
  return reason === "empty" || reason === "html" || reason === "notJson";
}

async function readBody(call: PreparedCall, response: Response, headersMs: number): Promise<ReadBody> {
  const startedAt = performance.now();
  const read = await readJson(response, call.options.maxResponseBytes ?? 16 * 1024 * 1024, call.lifetime);
  reportResponse(call, response, headersMs + performance.now() - startedAt, read.bytes);
  return read;
}

async function readAnswer(call: PreparedCall, response: Response, headersMs: number): Promise<Answer> {
  const { operation, options, reporter } = call;
  const read = await readBody(call, response, headersMs);
  if (!read.ok) throw unreadable(call, response, read);
  const body = read.value;
  reporter.body(body);
  if (!isObject(body)) throw unreadable(call, response, { ...read, ok: false, reason: "notObject", body });

  const seen = failures.seenByHooks(response, body);
  const isSuccess = operation.isSuccess?.(seen);
  if (isSuccess === true) return answerOf(call, response, body, warningsOf(call, seen, body));

  const { verdict } = seen;
  if (verdict === "success" && response.status >= 400) {
    throw failures.unexpected(call, response, { reason: "successUnderErrorStatus", text: read.text, body });
  }
  if (response.status >= 400 || verdict === "failed" || verdict === "pending") {
    throw failures.refused(call, response, body);
  }
  const echo = echoIssues(call, body);
  const issues = [...echo, ...differences(call, body)];
  const strict = options.validation?.response === "strict" && issues.length > 0;
  const isUnusable = echo.length > 0 || essentialIssues(operation.essential, issues).length > 0;
  if (isSuccess === false || strict || isUnusable) throw failures.incomplete(call, response, body, issues);
  return answerOf(call, response, body, issues);
}

/**
 * A response that is not one of this service. If an operation judges its refusals by itself, one under a 4xx is a refusal,
 * whoever wrote the page, unless a part of it is missing.
 */
function unreadable(
  call: PreparedCall,
  response: Response,
  read: ReadBody & { readonly ok: false; readonly body?: unknown },
): ServiceApiError {
  const isJudged = call.operation.isRejection !== undefined || call.operation.toUnknownOutcomeError !== undefined;
  const isRefusal = isJudged && response.status >= 400 && response.status < 500;
  return isRefusal && (isWhole(read.reason) || read.reason === "notObject")
    ? failures.refused(call, response, read.body, read.text)
    : failures.unexpected(call, response, read);
}

/** What is odd about a response that the operation calls a success. */
function warningsOf(call: PreparedCall, seen: OperationResponse, body: Record<string, unknown>): readonly Issue[] {
  const issues = [...checked(() => echoIssues(call, body)), ...checked(() => differences(call, body))];
  const { httpStatus, verdict } = seen;
  if (verdict !== "success" && !issues.some(({ path }) => path[0] === "status")) {
    issues.push({ path: ["status"], message: "does not say success", code: "unexpected_status" });
  }
  if (httpStatus < 200 || httpStatus >= 300) {
    issues.push({ path: [], message: `came under HTTP ${httpStatus}`, code: "unexpected_http_status" });
  }
  return issues;
}

/** A check that throws is an issue like others: what the operation calls a success reaches the caller. */
function checked(check: () => readonly Issue[]): readonly Issue[] {
  try {
    return check();
  } catch {
    return [{ path: [], message: "could not be checked: the check of this operation threw", code: "not_checked" }];
  }
}

/** Where the response contradicts the request. */
function echoIssues(call: PreparedCall, body: Record<string, unknown>): readonly Issue[] {
  return call.options.validation?.response === "off" ? [] : (call.operation.validateEcho?.(body, call) ?? []);
}

/** Where the response differs from the document. */
function differences(call: PreparedCall, body: Record<string, unknown>): readonly Issue[] {
  if (call.options.validation?.response === "off") return [];
  const issues = validate(call.operation.body, body, call.operation.name);
  const paths = issues.filter(({ code }) => code !== moreIssues).map(({ path }) => path.join("."));
  if (issues.length > 0) call.reporter.report({ type: "drift", paths });
  return issues;
}

function answerOf(call: PreparedCall, response: Response, data: unknown, warnings: readonly Issue[]): Answer {
  const requestId = failures.redactedRequestId(response, call.secrets);
  return { data, response, attempts: call.attempts, clientReferenceId: call.clientReferenceId, requestId, warnings };
}
