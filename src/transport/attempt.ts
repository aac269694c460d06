import { ServiceApiError } from "../errors/base.ts";
import { runSendCheck } from "../shared/send-check.ts";
import type { CallResult, GetResponseMode } from "./call.ts";
import { Cancelled } from "./cancellation.ts";
import { callbackError, callHook } from "./errors/details.ts";
import { connectionError, timeoutOrAbortError } from "./errors/no-response.ts";
import { apiError } from "./errors/refusal.ts";
import { type AnyResponse, type ResponseHead, readableResponse, toResponse, uncached } from "./fetch.ts";
import { callersResponse } from "./read-body.ts";
import { type Arrival, readRedirect, readResponse, reportResponse, resultOf } from "./read-response.ts";
import type { PreparedCall } from "./request.ts";
import { delayBeforeRetry } from "./retry.ts";

/**
 * Makes one attempt: one request, then a result or a typed error. Its deadline covers headers and body, and bytes that
 * arrive slowly do not extend it.
 */
export async function attempt(call: PreparedCall, getMode: GetResponseMode): Promise<CallResult> {
  const { progress, scope } = call;
  scope.startAttempt(timeoutOf(call));
  try {
    const arrival = await exchange(call);
    if (isRedirect(arrival.response)) return await attemptWhole(call, readRedirect, arrival);
    const asked = getMode();
    const mode = asked instanceof Promise ? await scope.pauseFor(asked, "attempt") : asked;
    if (mode === "response") return attemptHeaders(call, arrival);
    // A stream that is refused is an error like any other, and its body says why.
    if (mode === "body" || arrival.response.status >= 300) return await attemptWhole(call, readResponse, arrival);
    return attemptStream(call, arrival);
  } catch (error) {
    const failure = typedError(call, error);
    if (failure.outcome !== "notSent" && progress.outcome !== "unknown") progress.outcome = failure.outcome;
    scope.cancelAttempt();
    throw failure;
  } finally {
    progress.inFlight = false;
  }
}

/** Reads and checks the body within the attempt's deadline. */
async function attemptWhole(call: PreparedCall, read: typeof readResponse, arrival: Arrival): Promise<CallResult> {
  call.progress.phase = "body";
  const result = await call.scope.race(read(call, arrival));
  call.scope.close();
  return result;
}

/**
 * `asResponse()` resolves for any final status: only one that leads to a retry is thrown. The caller reads the body.
 */
function attemptHeaders(call: PreparedCall, arrival: Arrival): CallResult {
  const { response } = arrival;
  reportResponse(call, arrival);
  if (response.status >= 400) {
    const refusal = apiError(call, response, undefined);
    if (delayBeforeRetry(call, refusal) !== undefined) throw refusal;
  }
  return resultOf(call, callersResponse(toResponse(response), call.scope), undefined, []);
}

/** A stream that has begun. From here on its receiver watches the deadlines and the caller's signal. */
function attemptStream(call: PreparedCall, arrival: Arrival): CallResult {
  reportResponse(call, arrival);
  const response = toResponse(arrival.response);
  call.scope.close();
  return resultOf(call, response, undefined, []);
}

/** Sends the request and waits for the headers. */
async function exchange(call: PreparedCall): Promise<Arrival> {
  const { progress, scope } = call;
  if (scope.cancellation !== undefined) throw new Cancelled();
  call.reporter.request(progress.attempts + 1, call.json, call.body);
  if (call.operation.retry === "never") checkOnce(call);
  // Up to here an abort means that nothing was sent: the functions that were just called may have aborted.
  if (scope.cancellation !== undefined) throw new Cancelled();
  progress.phase = "headers";
  progress.attempts++;
  progress.sentAt ||= Date.now();
  progress.inFlight = true;
  const startedAt = performance.now();
  let sending: Promise<AnyResponse> | undefined;
  let arrived: AnyResponse;
  try {
    sending = call.send(call.url, {
      method: "POST",
      headers: call.headers,
      body: call.json,
      signal: scope.signal,
      redirect: "manual",
      ...uncached(),
    });
    arrived = await scope.race(sending);
  } catch (error) {
    // A `fetch` that ignores the signal may still respond: nobody would read it.
    sending?.then((late) => readableResponse(late).body?.cancel()).catch(() => {});
    throw connectionError(call, error);
  }
  return { response: callHook(call, () => readableResponse(arrived)), headersTime: performance.now() - startedAt };
}

/** Runs the last check of an operation that must be sent once. */
function checkOnce(call: PreparedCall): void {
  const timeout = timeoutOf(call);
  const limit = Math.min(timeout === false ? Number.POSITIVE_INFINITY : timeout, call.scope.remaining);
  const { operation, clientReferenceId, options } = call;
  runSendCheck({ operation: operation.name, clientReferenceId, signal: options.signal }, limit);
}

function timeoutOf({ operation, options }: PreparedCall): number | false {
  return options.timeout ?? operation.timeout;
}

/** Browsers hide a redirect behind status 0; a `fetch` that followed one on its own has sent the credentials on. */
function isRedirect(response: ResponseHead): boolean {
  return (response.status >= 300 && response.status < 400) || response.type === "opaqueredirect" || response.redirected;
}

/** Returns the typed error of a failed attempt. Any other error comes from a `fetch` whose response is not one. */
function typedError(call: PreparedCall, error: unknown): ServiceApiError {
  const { cancellation } = call.scope;
  if (cancellation !== undefined) return timeoutOrAbortError(call, cancellation);
  return ServiceApiError.isInstance(error) ? error : callbackError(call, error);
}
