// Spans and metrics of OpenTelemetry for a service. This example prints them. In production they go
// to a collector, and `openTelemetry()` uses the providers that your app has registered.

import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { SessionService } from 'colloquy';
import { MemorySessionStore } from 'colloquy/memory';
import { openTelemetry } from 'colloquy/telemetry';

const spans = new InMemorySpanExporter();
const measured = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
const tracerProvider = new BasicTracerProvider({
  spanProcessors: [new SimpleSpanProcessor(spans)],
});
const meterProvider = new MeterProvider({
  readers: [new PeriodicExportingMetricReader({ exporter: measured })],
});

const telemetry = openTelemetry({ tracerProvider, meterProvider });
const sessions = new SessionService({ store: new MemorySessionStore(), observers: [telemetry] });
telemetry.observeSessions(sessions); // how many there are of each status

const talked = await sessions
  .create({ face: 'ada', profile: 'tutor' })
  .andThen(({ id }) => sessions.start(id))
  .andThen(({ id }) => sessions.append(id, [{ role: 'user', content: 'Hello.' }]).map(() => id))
  .andThen((id) => sessions.resume(id)); // it is not paused: told of as an error by its type
if (talked.isErr()) console.log(`refused: ${talked.error.message}`);

await meterProvider.forceFlush();
for (const { name, attributes } of spans.getFinishedSpans()) {
  console.log(
    `span    ${name}${attributes['error.type'] === undefined ? '' : ` (${attributes['error.type']})`}`,
  );
}
for (const { scopeMetrics } of measured.getMetrics()) {
  for (const { descriptor, dataPoints } of scopeMetrics.flatMap(({ metrics }) => metrics)) {
    console.log(
      `metric  ${descriptor.name}: ${dataPoints.length} series${descriptor.unit && `, in ${descriptor.unit}`}`,
    );
  }
}
await Promise.all([tracerProvider.shutdown(), meterProvider.shutdown()]);
