import { type Attributes, diag, type MeterProvider, type ObservableResult } from '@opentelemetry/api';
import type { SessionService } from '../service/session-service.js';
import { sessionStatuses } from '../status.js';
import { attributeNames, metricNames, SCOPE } from './names.js';

/** The sessions of a tenant, as far as they are counted. */
export type CountedSessions = Pick<SessionService, 'list'>;

/** Measures how many sessions there are of each status, whenever metrics are collected, until it is told to stop. */
export const observeCounts = (
  provider: MeterProvider,
  sessions: CountedSessions,
  attributes: Attributes,
): (() => void) => {
  const counter = provider.getMeter(SCOPE).createObservableUpDownCounter(metricNames.sessions, {
    description: 'Sessions that there are.',
    unit: '{session}',
  });
  const count = async (observable: ObservableResult): Promise<void> => {
    for (const status of sessionStatuses) {
      const listed = await sessions.list({ status, limit: 1 });
      if (listed.isErr()) return diag.error(`${metricNames.sessions}: ${listed.error.message}`);
      observable.observe(listed.value.total, { ...attributes, [attributeNames.status]: status });
    }
  };
  counter.addCallback(count);
  return () => counter.removeCallback(count);
};
