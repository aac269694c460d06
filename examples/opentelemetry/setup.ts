import { context, metrics, propagation, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { MeterProvider, PeriodicExportingMetricReader, type PushMetricExporter } from "@opentelemetry/sdk-metrics";
import { SimpleSpanProcessor, type SpanExporter, TracerProvider } from "@opentelemetry/sdk-trace";

/**
 * Registers the SDK of this process; `@opentelemetry/sdk-node` does it in one step. In production, export over OTLP and
 * with a `BatchSpanProcessor`.
 */
export function startTelemetry(spans: SpanExporter, measurements: PushMetricExporter) {
  const tracerProvider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] });
  const meterProvider = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter: measurements })] });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(tracerProvider);
  metrics.setGlobalMeterProvider(meterProvider);
  return {
    flush: () => Promise.all([tracerProvider.forceFlush(), meterProvider.forceFlush()]),
    shutdown: () => Promise.all([tracerProvider.shutdown(), meterProvider.shutdown()]),
  };
}
