import { context, propagation, SpanStatusCode, trace } from "@opentelemetry/api";
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from "@opentelemetry/core";
import { AggregationTemporality, InMemoryMetricExporter } from "@opentelemetry/sdk-metrics";
import { InMemorySpanExporter } from "@opentelemetry/sdk-trace";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { startTelemetry } from "../examples/opentelemetry/setup.ts";
import { telemetry, traceHeaders } from "../src/opentelemetry.ts";
import { initiated } from "./ai/events.ts";
import { clientOf, errorOf } from "./support/client.ts";
import { safe } from "./support/operations.ts";
import { expectNoSecret } from "./support/secrets.ts";
import { serve } from "./support/serve.ts";
import { answers, deadAddress, inTurn, succeeds } from "./support/server.ts";

const spans = new InMemorySpanExporter();
const measurements = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const sdk = startTelemetry(spans, measurements);
const tracer = trace.getTracer("test");
const onEvent = telemetry();
beforeEach(() => spans.reset());
afterAll(() => sdk.shutdown());

/** Each finished span as `name error.type`, with its children. */
function tree(parent?: string): unknown[] {
  return spans
    .getFinishedSpans()
    .filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent)
    .map((span) => {
      const children = tree(span.spanContext().spanId);
      const { "error.type": error, "http.response.status_code": status } = span.attributes;
      const name = [span.name, status, error].filter((part) => part !== undefined).join(" ");
      return children.length === 0 ? name : [name, ...children];
    });
}

describe("telemetry()", () => {
  it("writes a span for each call, with one for each attempt, below the caller's span", async () => {
    const { api } = await serve(inTurn(answers(503, { status: "SUCCESS" }), succeeds), { onEvent });
    await tracer.startActiveSpan("checkout", async (span) => {
      await api.send(safe, { client_referenceId: "order-1" });
      span.end();
    });
    expect(tree()).toEqual([["checkout", ["test.safe", "POST 503 503", "POST 200"]]]);
    const call = spans.getFinishedSpans().find(({ name }) => name === "test.safe");
    expect(call?.attributes).toMatchObject({ "serviceapi.client_reference_id": "order-1" });
    expect(call?.events).toMatchObject([{ name: "retry", attributes: { reason: "unexpected_response" } }]);
    expectNoSecret(spans.getFinishedSpans().map(({ name, attributes, events }) => ({ name, attributes, events })));
  });

  it("keeps calls apart that are made at the same time", async () => {
    const { api } = await serve(succeeds, { onEvent });
    const work = Array.from({ length: 5 }, (_, i) =>
      tracer.startActiveSpan(`job ${i}`, async (span) => {
        await api.send(safe, { client_referenceId: "the same" });
        span.end();
      }),
    );
    await Promise.all(work);
    expect(tree()).toHaveLength(5);
    expect(tree()).toEqual(
      expect.arrayContaining(Array.from({ length: 5 }, (_, i) => [`job ${i}`, ["test.safe", "POST 200"]])),
    );
  });

  it("shows a connection that failed, and a call that was refused before it was sent", async () => {
    const api = clientOf({ url: deadAddress }, { onEvent, maxRetries: 0 });
    await errorOf(api.send(safe, {}));
    await errorOf(api.send(safe, "wrong" as never));
    expect(tree()).toEqual([["test.safe connection", "POST connection"], "test.safe request_validation"]);
  });

  it("ends the span of a stream with the stream, and says how it ended", async () => {
    const { server, api } = await serve(answers(200, "", { "content-type": "text/event-stream" }), { onEvent });
    await errorOf(api.ai.stream({ user: { text: "x" } }).finalText());
    expect(tree()).toEqual([["ai.stream stream_truncated", "POST 200"]]);
    const [attempt, call] = spans.getFinishedSpans();
    expect(call).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "serviceapi",
        "serviceapi.outcome": "unknown",
      },
    });
    expect(attempt?.attributes["url.full"]).toBe(`${server.url}/api/serviceapi-prod/api/ai/create-response`);
  });

  it("has the outcome of a call that was refused before it was sent", async () => {
    await errorOf(clientOf({ url: "https://service.example" }, { onEvent }).ai.createResponse({} as never));
    expect(spans.getFinishedSpans()).toMatchObject([{ attributes: { "serviceapi.outcome": "notSent" } }]);
  });

  it.each(["before its response", "after its first event"])("is not an error if the caller leaves %s", async (when) => {
    const { server, api } = await serve(
      (response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        if (when !== "before its response") response.write(`data: ${JSON.stringify(initiated())}\n\n`);
      },
      { onEvent },
    );
    const controller = new AbortController();
    const stream = api.ai.stream({ user: { text: "x" } }, { signal: controller.signal });
    const reading = stream[Symbol.asyncIterator]();
    const first = reading.next();
    await server.received(1);
    if (when !== "before its response") await first;
    controller.abort();
    await errorOf(first.then(() => reading.next()));
    const call = spans.getFinishedSpans().find(({ name }) => name === "ai.stream");
    expect(call).toMatchObject({
      status: { code: SpanStatusCode.UNSET },
      attributes: { "error.type": "abort", "serviceapi.outcome": "unknown" },
    });
  });

  it("continues the caller's trace at the service", async () => {
    const { server, api } = await serve(succeeds, { onEvent });
    const traceId = await tracer.startActiveSpan("checkout", async (span) => {
      await api.send(safe, {}, { headers: traceHeaders() });
      span.end();
      return span.spanContext().traceId;
    });
    expect(server.requests[0]?.headers.traceparent).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`));
  });

  it("sends no baggage, which may be personal", () => {
    propagation.disable();
    const propagators = [new W3CTraceContextPropagator(), new W3CBaggagePropagator()];
    propagation.setGlobalPropagator(new CompositePropagator({ propagators }));
    const baggage = propagation.createBaggage({ "user.email": { value: "asha@example.in" } });
    const active = propagation.setBaggage(context.active(), baggage);
    expect(Object.keys(context.with(active, traceHeaders))).toEqual([]);
    const names = tracer.startActiveSpan("checkout", {}, active, (span) => {
      span.end();
      return Object.keys(traceHeaders());
    });
    expect(names).toEqual(["traceparent"]);
  });

  it("measures the duration of calls in seconds, retries and failures", async () => {
    const { server, api } = await serve(
      inTurn(answers(503, { status: "FAILED" }), answers(404, { status: "FAILED" })),
      { onEvent },
    );
    await errorOf(api.send(safe, {}));
    await sdk.flush();
    const found =
      measurements
        .getMetrics()
        .at(-1)
        ?.scopeMetrics.flatMap((scope) => scope.metrics) ?? [];
    expect(found.map(({ descriptor }) => [descriptor.name, descriptor.unit])).toEqual([
      ["http.client.request.duration", "s"],
      ["gen_ai.client.operation.duration", "s"],
      ["serviceapi.call.duration", "s"],
      ["serviceapi.call.retries", ""],
    ]);
    const { hostname: address, port } = new URL(server.url);
    expect(found[0]?.dataPoints.map(({ attributes }) => attributes)).toContainEqual({
      ...{ "http.request.method": "POST", "server.address": address, "server.port": Number(port) },
      ...{ "http.response.status_code": 503, "error.type": "503" },
    });
    const failed = found[2]?.dataPoints.find(({ attributes }) => attributes["error.type"] === "not_found");
    const sum = expect.toSatisfy((seconds) => seconds > 0 && seconds < 60);
    expect(failed?.value).toMatchObject({ count: 1, sum });
  });
});
