/**
 * Traces and measures calls with OpenTelemetry, against the emulator, and prints what an exporter gets.
 * `npx tsx examples/opentelemetry/main.ts`
 */
import { trace } from "@opentelemetry/api";
import { AggregationTemporality, InMemoryMetricExporter } from "@opentelemetry/sdk-metrics";
import { InMemorySpanExporter, type ReadableSpan } from "@opentelemetry/sdk-trace";
import { isServiceApiError } from "serviceapi";
import { telemetry, traceHeaders } from "serviceapi/opentelemetry";
import { connect } from "../connect.ts";
import { startTelemetry } from "./setup.ts";

const spans = new InMemorySpanExporter();
const measurements = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const sdk = startTelemetry(spans, measurements);
const tracer = trace.getTracer("shop");

const { api: plain, emulator } = connect();
const api = plain.withOptions({ retryDelay: () => 0, onEvent: telemetry() });

emulator?.on("verification.findVpas", "unavailable", { times: 1 });
await tracer.startActiveSpan("show the UPI IDs", async (span) => {
  const headers = traceHeaders();
  console.log(`traceparent ${headers.traceparent}`);
  await api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" }, { headers });
  span.end();
});
const unlinked = api.verification.findVpas({ vpa_mobile: "6000000404", consent: "Y" });
await unlinked.catch((error) => console.log(isServiceApiError(error) ? error.kind : error));

await sdk.flush();
const finished = spans.getFinishedSpans();
const show = (parent: string | undefined, depth: number): void => {
  for (const span of finished.filter(({ parentSpanContext }) => parentSpanContext?.spanId === parent)) {
    console.log(`${"  ".repeat(depth)}${span.name} ${describe(span)}`.trimEnd());
    show(span.spanContext().spanId, depth + 1);
  }
};
show(undefined, 0);
for (const { descriptor, dataPoints } of measurements.getMetrics().flatMap(readMetrics)) {
  console.log(`${descriptor.name} ${dataPoints.map(({ attributes }) => JSON.stringify(attributes)).join(" ")}`);
}
await sdk.shutdown();

function describe({ attributes }: ReadableSpan): string {
  return [attributes["http.response.status_code"], attributes["error.type"]].filter(Boolean).join(" ");
}

function readMetrics({ scopeMetrics }: ReturnType<typeof measurements.getMetrics>[number]) {
  return scopeMetrics.flatMap((scope) => scope.metrics);
}
