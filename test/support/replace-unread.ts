import { statusDetailOf } from '../../src/session/event-detail.js';
import type { StateRecord } from '../../src/session/session-record.js';
import type { SessionKey, SessionStore } from '../../src/store/session-store.js';
import { previousOf } from '../../src/testing/samples.js';

/**
 * Replaces a state without reading it: one call of the store, where `replacing` reads the state
 * first. `previous` is needed if the session moves between indexes.
 */
export const replaceUnread = (
  store: SessionStore,
  key: SessionKey,
  next: StateRecord,
  previous: StateRecord = next,
) => {
  const { revision } = previousOf(next);
  return store.change({
    key,
    guards: { revision },
    effects: {
      put: { state: next, previous: { ...previous, revision } },
      events: [statusDetailOf(false, next)],
    },
  });
};
