import type { MeterProvider, TracerProvider } from '@opentelemetry/api';
import { type Clock, systemClock } from '../clock.js';
import { readOptions } from '../input/read-options.js';
import { isFields } from '../input/values.js';

export interface OpenTelemetryOptions {
  /** Default: the one that is registered with `@opentelemetry/api`, also where that happens later. */
  readonly tracerProvider?: TracerProvider;
  /** Default: the one that is registered with `@opentelemetry/api`, also where that happens later. */
  readonly meterProvider?: MeterProvider;
  /**
   * Where the tenant is told, as `colloquy.tenant`: on spans alone, or on metrics too, each of which then has as many
   * series as there are tenants. Default: nowhere.
   */
  readonly tenant?: 'spans' | 'spans and metrics';
  /** What a sweep's lag is measured by: the clock of the service. Default: the machine's. */
  readonly clock?: Clock;
}

/** The options, read and with their defaults. */
export interface TelemetrySettings {
  readonly tracerProvider: TracerProvider | undefined;
  readonly meterProvider: MeterProvider | undefined;
  readonly tenantOnSpans: boolean;
  readonly tenantOnMetrics: boolean;
  readonly clock: Clock;
}

const has = (value: unknown, method: string): boolean => isFields(value) && typeof value[method] === 'function';

const optionNames = { tracerProvider: true, meterProvider: true, tenant: true, clock: true } as const;

export const readTelemetryOptions = (options: OpenTelemetryOptions): TelemetrySettings =>
  readOptions('openTelemetry', options, optionNames, (issues) => {
    const { tracerProvider, meterProvider, tenant, clock = systemClock } = options;
    const isTracing = tracerProvider === undefined || has(tracerProvider, 'getTracer');
    issues.check(isTracing, 'tracerProvider', 'must be a TracerProvider');
    const isMetering = meterProvider === undefined || has(meterProvider, 'getMeter');
    issues.check(isMetering, 'meterProvider', 'must be a MeterProvider');
    const isPlace = tenant === undefined || tenant === 'spans' || tenant === 'spans and metrics';
    issues.check(isPlace, 'tenant', "must be 'spans' or 'spans and metrics'");
    issues.check(has(clock, 'now'), 'clock', 'must be a Clock');
    return {
      tracerProvider,
      meterProvider,
      tenantOnSpans: tenant !== undefined,
      tenantOnMetrics: tenant === 'spans and metrics',
      clock,
    };
  });
