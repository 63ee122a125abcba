import { type Attributes, diag, type Meter } from '@opentelemetry/api';
import type { SessionService } from '../service/session-service.js';
import type { Sweep } from '../service/sweep-sessions.js';
import { sessionStatuses } from '../status.js';

/** The names of what no semantic convention names; of the conventions is `error.type`. */
export const attributeNames = {
  operation: 'colloquy.operation.name',
  session: 'colloquy.session.id',
  status: 'colloquy.session.status',
  endReason: 'colloquy.session.end_reason',
  tenant: 'colloquy.tenant',
  outcome: 'colloquy.sweep.outcome',
  error: 'error.type',
} as const;

/** Seconds: from a memory store's microseconds to what a client waits for at most. */
const DURATIONS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Seconds: from a sweeper's shortest interval to a day in which none was running. */
const LAGS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 14_400, 86_400];

/** What is measured of operations and sweeps. `tenantOf` gives the attributes that a tenant has. */
export const instrumentsOf = (meter: Meter, tenantOf: (tenant: string) => Attributes) => {
  const duration = meter.createHistogram('colloquy.operation.duration', {
    description: 'Time until an operation has its answer.',
    unit: 's',
    advice: { explicitBucketBoundaries: DURATIONS },
  });
  const lag = meter.createHistogram('colloquy.sweep.lag', {
    description: 'Time from the end that the clock has made to the sweep that has written it down.',
    unit: 's',
    advice: { explicitBucketBoundaries: LAGS },
  });
  const swept = meter.createCounter('colloquy.sweep.sessions', {
    description: 'Sessions that sweeps have seen to.',
    unit: '{session}',
  });
  return {
    duration,
    recordSweep({ ended, deleted, failed }: Sweep, now: number): void {
      const { outcome, endReason: reason, error: type } = attributeNames;
      for (const { tenant, endReason, endedAt } of ended) {
        lag.record(Math.max(0, now - Date.parse(endedAt)) / 1000, tenantOf(tenant));
        swept.add(1, { ...tenantOf(tenant), [outcome]: 'ended', [reason]: endReason });
      }
      for (const { tenant } of deleted) swept.add(1, { ...tenantOf(tenant), [outcome]: 'deleted' });
      for (const error of failed) swept.add(1, { [outcome]: 'failed', [type]: error.type });
    },
  };
};

/** The sessions of a tenant, as far as they are counted. */
export type CountedSessions = Pick<SessionService, 'list'>;

/** Measures how many sessions there are of each status, whenever metrics are collected, until it is told to stop. */
export const observeCounts = (meter: Meter, sessions: CountedSessions, attributes: Attributes): (() => void) => {
  const name = 'colloquy.session.count';
  const counter = meter.createObservableUpDownCounter(name, {
    description: 'Sessions that there are.',
    unit: '{session}',
  });
  const count: Parameters<typeof counter.addCallback>[0] = async (observable) => {
    for (const status of sessionStatuses) {
      const listed = await sessions.list({ status, limit: 1 });
      if (listed.isErr()) return diag.error(`${name}: ${listed.error.message}`);
      observable.observe(listed.value.total, { ...attributes, [attributeNames.status]: status });
    }
  };
  counter.addCallback(count);
  return () => counter.removeCallback(count);
};
