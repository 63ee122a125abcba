import type { SessionStore } from '../../src/store/session-store.js';
import { changed } from '../support/store-doubles.js';

/**
 * Makes watches poll a database store by the simulated clock, because its notifications come in
 * real time.
 */
export const polled = (store: SessionStore): SessionStore => {
  const { events } = store;
  if (events?.listen === undefined) return store;
  const { open, isClosed } = events;
  return changed(store, {
    events: {
      ...(open && { open: () => open.call(events) }),
      ...(isClosed && { isClosed: () => isClosed.call(events) }),
      streamOf: (tenant) => events.streamOf(tenant),
      latest: (stream) => events.latest(stream),
      now: (stream) => events.now(stream),
      read: (...args) => events.read(...args),
    },
  });
};
