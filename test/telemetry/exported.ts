import type { Attributes } from '@opentelemetry/api';
import {
  AggregationTemporality,
  type DataPoint,
  type ExponentialHistogram,
  type Histogram,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';

/** Spans as they are exported. */
export const exportedSpans = () => {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({
    spanProcessors: [new SimpleSpanProcessor(exporter)],
  });
  return { tracerProvider, spans: () => exporter.getFinishedSpans() };
};

type Point = DataPoint<number> | DataPoint<Histogram> | DataPoint<ExponentialHistogram>;

/** Metrics as they are exported. */
export const exportedMetrics = () => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const meterProvider = new MeterProvider({ readers: [reader] });
  const collect = async () => {
    exporter.reset();
    await reader.forceFlush();
    return exporter
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
  };
  /** What a metric has for each set of attributes. */
  const points = async (name: string): Promise<readonly Point[]> => {
    const metrics = await collect();
    return metrics
      .filter(({ descriptor }) => descriptor.name === name)
      .flatMap((metric): Point[] => [...metric.dataPoints]);
  };
  return { meterProvider, collect, points, close: () => meterProvider.shutdown() };
};

/** The value of each set of attributes; of a histogram, how often there was one. */
export const valuesOf = (points: readonly Point[]): readonly (readonly [Attributes, number])[] =>
  points.map(({ attributes, value }) => [
    attributes,
    typeof value === 'number' ? value : value.count,
  ]);
