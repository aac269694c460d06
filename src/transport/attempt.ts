import { type Issue, ServiceApiError } from "../errors/base.ts";
import { type ReadBody, readJson } from "./body.ts";
import type { AskWant, WithResponse } from "./call.ts";
import { isObject, readEnvelope } from "./envelope.ts";
import * as failures from "./failures.ts";
import { endingWith } from "./fetch.ts";
import type { PreparedCall } from "./prepare.ts";
import { essentialIssues, validate } from "./validate.ts";

/** An answer whose body was read and checked, or a response whose body is somebody else's to read. */
export type Answer = WithResponse<unknown>;

/**
 * One attempt: one request, one answer or one typed error. Its deadline covers headers and body, and dripping bytes do
 * not move it.
 */
export async function attempt(
  call: PreparedCall,
  want: AskWant,
  isRetryPlanned: (error: ServiceApiError) => boolean,
): Promise<Answer> {
  const { lifetime } = call;
  lifetime.beginAttempt(call.options.timeout ?? call.operation.timeout);
  try {
    const { response, headersMs } = await exchange(call);
    const asked = want();
    const wanted = asked instanceof Promise ? await lifetime.waitForCaller(asked) : asked;
    const handedOver = wanted === "response" || (wanted === "stream" && response.status < 300);
    if (handedOver) reportResponse(call, response, headersMs);
    else lifetime.phase = "body";
    if (wanted === "response") refuseUnlessFinal(call, response, isRetryPlanned);
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

/** What went wrong as one of our errors. One that knows of no request comes from the caller's own schema or function. */
function typed(call: PreparedCall, error: unknown): ServiceApiError {
  return ServiceApiError.isInstance(error) && error.attempts > 0 ? error : failures.misconfigured(call, error);
}

/** Sends the request and waits for the headers. */
async function exchange(call: PreparedCall): Promise<{ readonly response: Response; readonly headersMs: number }> {
  const { lifetime, reporter } = call;
  // An abort up to here is one before anything was sent.
  if (lifetime.ending !== undefined) throw new Error("ended");
  call.attempts++;
  call.sentAt ||= Date.now();
  call.inFlight = true;
  reporter.request(call.attempts, call.json, call.body);
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
  const headersMs = performance.now() - startedAt;
  if (!isRedirect(response)) return { response, headersMs };
  reportResponse(call, response, headersMs);
  throw failures.redirected(call, response);
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
function refuseUnlessFinal(
  call: PreparedCall,
  response: Response,
  isRetryPlanned: (error: ServiceApiError) => boolean,
): void {
  if (response.status < 400) return;
  const refusal = failures.refused(call, response, undefined);
  if (isRetryPlanned(refusal)) throw refusal;
}

async function readAnswer(call: PreparedCall, response: Response, headersMs: number): Promise<Answer> {
  const { operation, options, reporter } = call;
  const startedAt = performance.now();
  const read = await readJson(response, options.maxResponseBytes ?? 16 * 1024 * 1024, call.lifetime);
  reportResponse(call, response, headersMs + performance.now() - startedAt, read.bytes);
  if (!read.ok) throw unreadable(call, response, read);
  const body = read.value;
  reporter.body(body);
  if (!isObject(body)) throw failures.unexpected(call, response, { reason: "notObject", text: read.text, body });

  const accepted = operation.accepts?.(body);
  if (accepted === true) return answerOf(call, response, body, differences(call, body));

  const { verdict } = readEnvelope(body);
  if (verdict === "success" && response.status >= 400) {
    throw failures.unexpected(call, response, { reason: "successUnderErrorStatus", text: read.text, body });
  }
  if (response.status >= 400 || verdict === "failed" || verdict === "pending") {
    throw failures.refused(call, response, body);
  }
  const issues = differences(call, body);
  const strict = options.validation?.response === "strict" && issues.length > 0;
  if (accepted === false || strict || essentialIssues(operation.essential, issues).length > 0) {
    throw failures.incomplete(call, body, issues);
  }
  return answerOf(call, response, body, issues);
}

/** An answer that is none. Where the outcome of a call is what counts, a 4xx has told it, whoever wrote the page (policy 30). */
function unreadable(call: PreparedCall, response: Response, read: ReadBody & { readonly ok: false }): ServiceApiError {
  const isTold = call.operation.unknownOutcome !== undefined && response.status >= 400 && response.status < 500;
  return isTold ? failures.refused(call, response, read.text) : failures.unexpected(call, response, read);
}

/** Where the answer differs from the document. */
function differences(call: PreparedCall, body: unknown): readonly Issue[] {
  if (call.options.validation?.response === "off") return [];
  const issues = validate(call.operation.body, body, call.operation.name);
  if (issues.length > 0) call.reporter.report({ type: "drift", paths: issues.map((issue) => issue.path.join(".")) });
  return issues;
}

function answerOf(call: PreparedCall, response: Response, data: unknown, warnings: readonly Issue[]): Answer {
  return { data, response, attempts: call.attempts, clientReferenceId: call.clientReferenceId, warnings };
}
