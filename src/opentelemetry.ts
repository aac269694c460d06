import {
  type Attributes,
  type Context,
  context,
  metrics,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import type { ClientEvent } from "./transport/log.ts";
import { version } from "./version.ts";

/** A call in progress: its span, and its current attempt. */
interface OpenCall {
  readonly span: Span;
  readonly context: Context;
  attempt?: { readonly span: Span; readonly startedAt: number; readonly attributes: Attributes } | undefined;
}

/**
 * Returns an `onEvent` that writes a span for each call, a child of it for each attempt, and metrics, with the tracer and
 * the meter `serviceapi` of the providers that you have registered. The span of a call is a child of the span that is
 * active when you make the call, that of a stream of the one at its first read. Names are those of the semantic conventions for HTTP clients and generative AI.
 *
 * @example
 * ```ts
 * import { ServiceApi } from "serviceapi";
 * import { telemetry, traceHeaders } from "serviceapi/opentelemetry";
 *
 * const api = new ServiceApi({ onEvent: telemetry() });
 * await api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" }, { headers: traceHeaders() });
 * ```
 */
export function telemetry(): (event: ClientEvent) => void {
  const tracer = trace.getTracer("serviceapi", version);
  const meter = metrics.getMeter("serviceapi", version);
  const attempts = meter.createHistogram("http.client.request.duration", { unit: "s" });
  const aiCalls = meter.createHistogram("gen_ai.client.operation.duration", { unit: "s" });
  const calls = meter.createHistogram("serviceapi.call.duration", { unit: "s" });
  const retries = meter.createCounter("serviceapi.call.retries");
  const drifts = meter.createCounter("serviceapi.response.drifts");
  const open = new Map<string, OpenCall>();

  const begin = (event: ClientEvent, startTime = Date.now()): OpenCall => {
    const { operation, callId, clientReferenceId: reference } = event;
    const attributes = {
      "serviceapi.operation": operation,
      "serviceapi.call_id": callId,
      ...(reference !== undefined && { "serviceapi.client_reference_id": reference }),
      ...(isAi(event) && genAi),
    };
    const span = tracer.startSpan(operation, { startTime, attributes });
    const call = { span, context: trace.setSpan(context.active(), span) };
    open.set(callId, call);
    return call;
  };

  const beginAttempt = (call: OpenCall, url: string, number: number): void => {
    const { hostname, port, protocol } = new URL(url);
    const attributes = {
      "http.request.method": "POST",
      "server.address": hostname,
      "server.port": Number(port || (protocol === "http:" ? 80 : 443)),
    };
    const details = { ...attributes, "url.full": url, ...(number > 1 && { "http.request.resend_count": number - 1 }) };
    const span = tracer.startSpan("POST", { kind: SpanKind.CLIENT, attributes: details }, call.context);
    call.attempt = { span, startedAt: performance.now(), attributes };
  };

  const endAttempt = (call: OpenCall | undefined, outcome: Attributes, failure?: string): void => {
    if (call?.attempt === undefined) return;
    const { span, startedAt, attributes } = call.attempt;
    call.attempt = undefined;
    span.setAttributes(outcome);
    endSpan(span, failure);
    const { "serviceapi.request_id": _, ...measured } = { ...attributes, ...outcome, ...errorType(failure) };
    attempts.record((performance.now() - startedAt) / 1_000, measured);
  };

  /** `failure` is the `kind` of an error. */
  const end = (event: ClientEvent & { readonly duration: number }, failure?: string, outcome?: string): void => {
    // A call that was refused has had no `request`.
    const call = open.get(event.callId) ?? begin(event, Date.now() - event.duration);
    open.delete(event.callId);
    endAttempt(call, {}, failure);
    if (outcome !== undefined) call.span.setAttribute("serviceapi.outcome", outcome);
    endSpan(call.span, failure);
    const seconds = event.duration / 1_000;
    calls.record(seconds, { "serviceapi.operation": event.operation, ...errorType(failure) });
    if (isAi(event)) aiCalls.record(seconds, { ...genAi, ...errorType(failure) });
  };

  return (event) => {
    const call = open.get(event.callId);
    switch (event.type) {
      case "request":
        return beginAttempt(call ?? begin(event), event.url, event.attempt);
      case "response": {
        const id = event.requestId !== undefined && { "serviceapi.request_id": event.requestId };
        const failure = event.httpStatus >= 400 ? String(event.httpStatus) : undefined;
        return endAttempt(call, { "http.response.status_code": event.httpStatus, ...id }, failure);
      }
      case "retry":
        // An attempt without a response: the connection failed, or took too long.
        endAttempt(call, {}, event.reason);
        call?.span.addEvent("retry", { delay: event.delay, reason: event.reason });
        return retries.add(1, { "serviceapi.operation": event.operation, ...errorType(event.reason) });
      case "drift":
        call?.span.addEvent("drift", { paths: [...event.paths] });
        return drifts.add(1, { "serviceapi.operation": event.operation });
      case "resolved":
        return end(event);
      case "error":
      case "stream":
        return end(event, event.kind, event.outcome);
    }
  };
}

/** Returns the headers that continue the active trace at the service: pass them to a call. Baggage may be personal. */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  propagation.inject(propagation.deleteBaggage(context.active()), headers);
  return headers;
}

const genAi = { "gen_ai.operation.name": "chat", "gen_ai.provider.name": "serviceapi" };

function isAi({ operation }: ClientEvent): boolean {
  return operation.startsWith("ai.");
}

function errorType(failure: string | undefined): Attributes {
  return failure === undefined ? {} : { "error.type": failure };
}

function endSpan(span: Span, failure: string | undefined): void {
  span.setAttributes(errorType(failure));
  if (failure !== undefined && failure !== "abort") span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}
