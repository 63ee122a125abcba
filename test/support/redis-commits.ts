import type { Guards, SessionKey, SessionStore, UseChange } from '../../src/store/session-store.js';
import { appendOf, made, type Use } from '../../src/testing/commits.js';
import { NOON } from '../../src/testing/samples.js';

/**
 * An append to an open session, as services send it. Redis has a script for such appends, and an
 * append without this guard would not test it.
 */
export const openAppendOf = (
  key: SessionKey,
  contents: readonly string[],
  guards: Guards = {},
  use: Use = {},
): UseChange => appendOf(key, contents, { open: NOON, ...guards }, use);

/** Appends as services do, and returns the position. Fails if the store refuses it. */
export const openAppend = (
  store: SessionStore,
  key: SessionKey,
  contents: readonly string[],
  guards?: Guards,
  use?: Use,
): Promise<number> => made(store, openAppendOf(key, contents, guards, use));
