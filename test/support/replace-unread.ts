import { statusDetailOf } from '../../src/session/event-detail.js';
import type { StateRecord } from '../../src/session/session-record.js';
import type { SessionKey, SessionStore } from '../../src/store/session-store.js';
import { previousOf } from '../../src/testing/samples.js';

/** Replaces a state by its revision alone: one call of the store, where `replacing` reads the state first. */
export const replaceUnread = (store: SessionStore, key: SessionKey, next: StateRecord) =>
  store.replace(key, previousOf(next), next, { event: statusDetailOf(false, next) });
