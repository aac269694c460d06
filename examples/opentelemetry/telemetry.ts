import {
  type Context,
  context,
  type Meter,
  propagation,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { ClientEvent } from "serviceapi";

/** A call in progress: its span, and that of its current attempt. */
interface OpenCall {
  readonly span: Span;
  readonly context: Context;
  attempt: Span | undefined;
}

/**
 * Returns an `onEvent` that writes a span for each call, a child of it for each attempt, and three metrics. The call's
 * span is a child of the span that is active when you make the call.
 */
export function telemetry(tracer: Tracer, meter: Meter): (event: ClientEvent) => void {
  const open = new Map<string, OpenCall>();
  const durations = meter.createHistogram("serviceapi.call.duration", { unit: "s" });
  const retries = meter.createCounter("serviceapi.call.retries");
  const drifts = meter.createCounter("serviceapi.response.drifts");

  const begin = (event: ClientEvent, startTime = Date.now()): OpenCall => {
    const span = tracer.startSpan(event.operation, { startTime, attributes: attributesOf(event) });
    const call = { span, context: trace.setSpan(context.active(), span), attempt: undefined };
    open.set(event.callId, call);
    return call;
  };

  /** `failure` is the `kind` of an error, or the way in which a stream ended. */
  const end = (event: ClientEvent & { readonly duration: number }, failure?: string): void => {
    // A call that was refused has had no `request`.
    const call = open.get(event.callId) ?? begin(event, Date.now() - event.duration);
    open.delete(event.callId);
    call.attempt?.end();
    if (failure !== undefined) markFailed(call.span, failure);
    call.span.end();
    const errorType = failure === undefined ? {} : { "error.type": failure };
    durations.record(event.duration / 1_000, { "serviceapi.operation": event.operation, ...errorType });
  };

  return (event) => {
    const call = open.get(event.callId);
    switch (event.type) {
      case "request": {
        const current = call ?? begin(event);
        const attributes = { "http.request.method": "POST", "http.request.resend_count": event.attempt - 1 };
        current.attempt = tracer.startSpan("POST", { kind: SpanKind.CLIENT, attributes }, current.context);
        return;
      }
      case "response":
        call?.attempt?.setAttribute("http.response.status_code", event.httpStatus);
        if (event.requestId !== undefined) call?.attempt?.setAttribute("serviceapi.request_id", event.requestId);
        if (event.httpStatus >= 400 && call?.attempt) markFailed(call.attempt, String(event.httpStatus));
        endAttempt(call);
        return;
      case "retry":
        // An attempt without a response: the connection failed, or took too long.
        if (call?.attempt) markFailed(call.attempt, event.reason);
        endAttempt(call);
        call?.span.addEvent("retry", { delay: event.delay, reason: event.reason });
        retries.add(1, { "serviceapi.operation": event.operation, "error.type": event.reason });
        return;
      case "drift":
        call?.span.addEvent("drift", { paths: [...event.paths] });
        drifts.add(1, { "serviceapi.operation": event.operation });
        return;
      case "resolved":
        return end(event);
      case "error":
        call?.span.setAttribute("serviceapi.outcome", event.outcome);
        if (call?.attempt) markFailed(call.attempt, event.kind);
        return end(event, event.kind);
      case "stream":
        return end(event, event.end === "completed" ? undefined : event.end);
    }
  };
}

/**
 * Returns the headers that continue the active trace at the service: pass them to a call,
 * `{ headers: traceHeaders() }`.
 */
export function traceHeaders(): Record<string, string> {
  const headers: Record<string, string> = {};
  propagation.inject(context.active(), headers);
  return headers;
}

function attributesOf({ operation, callId, clientReferenceId }: ClientEvent) {
  return {
    "serviceapi.operation": operation,
    "serviceapi.call_id": callId,
    ...(clientReferenceId !== undefined && { "serviceapi.client_reference_id": clientReferenceId }),
  };
}

function endAttempt(call: OpenCall | undefined): void {
  call?.attempt?.end();
  if (call !== undefined) call.attempt = undefined;
}

function markFailed(span: Span, errorType: string): void {
  span.setAttribute("error.type", errorType);
  span.setStatus({ code: SpanStatusCode.ERROR });
}
