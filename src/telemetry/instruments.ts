import type { Attributes, Counter, Histogram, MeterProvider } from '@opentelemetry/api';
import type { Clock } from '../clock.js';
import type { Sweep } from '../service/sweep-sessions.js';
import { attributeNames, metricNames, SCOPE } from './names.js';

/** Seconds: from a memory store's microseconds to what a client waits for at most. */
const DURATIONS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Seconds: from a sweeper's shortest interval to a day in which none was running. */
const LAGS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 14_400, 86_400];

/** What is measured of operations and sweeps, in one meter. */
export class Instruments {
  readonly #duration: Histogram;
  readonly #lag: Histogram;
  readonly #swept: Counter;

  constructor(provider: MeterProvider) {
    const meter = provider.getMeter(SCOPE);
    this.#duration = meter.createHistogram(metricNames.duration, {
      description: 'Time until an operation has its answer.',
      unit: 's',
      advice: { explicitBucketBoundaries: DURATIONS },
    });
    this.#lag = meter.createHistogram(metricNames.lag, {
      description: 'Time from the end that the clock has made to the sweep that has written it down.',
      unit: 's',
      advice: { explicitBucketBoundaries: LAGS },
    });
    this.#swept = meter.createCounter(metricNames.swept, {
      description: 'Sessions that sweeps have seen to.',
      unit: '{session}',
    });
  }

  record(seconds: number, attributes: Attributes): void {
    this.#duration.record(seconds, attributes);
  }

  /** `tenantOf` gives the attributes that a tenant has. */
  recordSweep({ ended, deleted, failed }: Sweep, clock: Clock, tenantOf: (tenant: string) => Attributes): void {
    const now = clock.now();
    const { outcome, endReason: reason, error: type } = attributeNames;
    for (const { tenant, endReason, endedAt } of ended) {
      this.#lag.record(Math.max(0, now - Date.parse(endedAt)) / 1000, tenantOf(tenant));
      this.#swept.add(1, { ...tenantOf(tenant), [outcome]: 'ended', [reason]: endReason });
    }
    for (const { tenant } of deleted) this.#swept.add(1, { ...tenantOf(tenant), [outcome]: 'deleted' });
    for (const error of failed) this.#swept.add(1, { [outcome]: 'failed', [type]: error.type });
  }
}
