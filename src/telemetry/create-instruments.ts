import { type Attributes, diag, type Meter, type ObservableResult } from '@opentelemetry/api';
import type { ResultAsync } from 'neverthrow';
import type { Sweep, WaitingCount } from '../service/operation-results.js';
import type { SessionService } from '../service/session-service.js';
import type { SessionError } from '../session/errors.js';
import { sessionStatuses } from '../session/session-status.js';

/**
 * Attribute names. `error.type` and, for the session, `gen_ai.conversation.id` are from the
 * semantic conventions; they have no names for the others.
 */
export const attributeNames = {
  operation: 'colloquy.operation.name',
  session: 'gen_ai.conversation.id',
  status: 'colloquy.session.status',
  endReason: 'colloquy.session.end_reason',
  tenant: 'colloquy.tenant',
  outcome: 'colloquy.sweep.outcome',
  turn: 'colloquy.turn.number',
  attempt: 'colloquy.turn.attempt',
  counter: 'colloquy.counter',
  turnOutcome: 'colloquy.turn.outcome',
  error: 'error.type',
} as const;

const DURATIONS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** Bucket boundaries of a sweep's lag, in seconds: up to a day without a sweeper. */
const LAGS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 14_400, 86_400];

/** Instruments for operations and sweeps. `tenantOf` returns the attributes of a tenant. */
export const createInstruments = (meter: Meter, tenantOf: (tenant: string) => Attributes) => {
  const duration = meter.createHistogram('colloquy.operation.duration', {
    description: 'Duration of an operation.',
    unit: 's',
    advice: { explicitBucketBoundaries: DURATIONS },
  });
  const lag = meter.createHistogram('colloquy.sweep.lag', {
    description: 'Time from the expiry of a session to the sweep that stored it.',
    unit: 's',
    advice: { explicitBucketBoundaries: LAGS },
  });
  const swept = meter.createCounter('colloquy.sweep.sessions', {
    description: 'Sessions that sweeps ended, reported or deleted, or failed to.',
    unit: '{session}',
  });
  const used = meter.createCounter('colloquy.session.usage', {
    description: 'What sessions had used when their end was reported, by counter.',
  });
  return {
    duration,
    recordSweep({ ended, reported, deleted, failed }: Sweep, now: number): void {
      const { outcome, endReason: reason, error: type } = attributeNames;
      for (const { tenant, endReason, endedAt } of ended) {
        lag.record(Math.max(0, now - Date.parse(endedAt)) / 1000, tenantOf(tenant));
        swept.add(1, { ...tenantOf(tenant), [outcome]: 'ended', [reason]: endReason });
      }
      for (const { tenant, endReason, usage = {} } of reported) {
        swept.add(1, { ...tenantOf(tenant), [outcome]: 'reported', [reason]: endReason });
        for (const [counter, sum] of Object.entries(usage))
          used.add(sum, { ...tenantOf(tenant), [attributeNames.counter]: counter });
      }
      for (const { tenant } of deleted) swept.add(1, { ...tenantOf(tenant), [outcome]: 'deleted' });
      for (const error of failed) swept.add(1, { [outcome]: 'failed', [type]: error.type });
    },
  };
};

/** A service whose sessions are counted. */
export type CountedSessions = Pick<SessionService, 'list'>;

/** Counts the sessions that wait for a worker, as `countWaiting` of `SessionService`. */
export type CountWaiting = () => ResultAsync<WaitingCount, SessionError>;

/**
 * Observes numbers of sessions whenever metrics are collected; `read` returns the error of a count.
 * Returns a function that stops it.
 */
const observe = (
  meter: Meter,
  name: string,
  description: string,
  read: (observable: ObservableResult) => Promise<SessionError | undefined>,
): (() => void) => {
  const counter = meter.createObservableUpDownCounter(name, { description, unit: '{session}' });
  const count = async (observable: ObservableResult): Promise<void> => {
    const error = await read(observable);
    if (error !== undefined) diag.error(`${name}: ${error.message}`);
  };
  counter.addCallback(count);
  return () => counter.removeCallback(count);
};

export const observeCounts = (
  meter: Meter,
  sessions: CountedSessions,
  attributes: Attributes,
): (() => void) =>
  observe(meter, 'colloquy.session.count', 'Number of sessions.', async (observable) => {
    for (const status of sessionStatuses) {
      const listed = await sessions.list({ status, limit: 1, historyLimit: 0 });
      if (listed.isErr()) return listed.error;
      observable.observe(listed.value.total, { ...attributes, [attributeNames.status]: status });
    }
    return undefined;
  });

export const observeWaiting = (
  meter: Meter,
  count: CountWaiting,
  attributes: Attributes,
): (() => void) =>
  observe(
    meter,
    'colloquy.work.waiting',
    'Number of sessions that wait for a worker.',
    async (observable) => {
      const counted = await count();
      if (counted.isErr()) return counted.error;
      observable.observe(counted.value.count, attributes);
      return undefined;
    },
  );
