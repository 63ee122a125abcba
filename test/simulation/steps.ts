import { type SessionEvent, unwrap } from '../../src/index.js';
import type { SimulatedHost } from '../../src/simulation/index.js';
import type { SessionStore } from '../../src/store/session-store.js';

export const wait = ({ clock }: SimulatedHost, seconds: number): Promise<void> =>
  new Promise((resolve) => {
    clock.after(1000 * seconds, resolve);
  });

export const eventsOf = async (store: SessionStore): Promise<readonly SessionEvent[]> => {
  const { events } = store;
  if (events === undefined) throw new Error('the store has no events');
  return unwrap(await events.read(events.streamOf('default'), '0', 100_000)).events;
};

/** Settles once the run ends. */
export const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve());
  });
