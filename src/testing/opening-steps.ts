import type { SessionHead, StateRecord } from '../session/session-record.js';
import { expectEqual } from './expect-equal.js';
import { foundIn, withoutPosition } from './history-steps.js';
import { headOf, keyOf, live, NOON, say, TENANT } from './samples.js';
import { answerOf, expectStored } from './steps.js';
import type { Inserted, Opening, TodaysStore } from './todays-store.js';

/** The session to fork. */
export const origin = keyOf('one');
export const fork = keyOf('fork');

export const started = live('ACTIVE', { revision: 2, startedAt: NOON });

export const saying = (...contents: readonly string[]) => contents.map((content) => say(content));

export const open = (
  store: TodaysStore,
  opening: Partial<Opening>,
  state: StateRecord = started,
  head: SessionHead = headOf(fork.id),
): Promise<Inserted> => answerOf(store.insert(TENANT, head, state, { entries: [], ...opening }));

/** An opening with the history of a session as it is now. */
export const readOf = async (store: TodaysStore, of = origin) => {
  const { entries, version } = await foundIn(store, { limit: 1000 }, of);
  return { entries: entries.map(withoutPosition), source: { id: of.id, version } };
};

/** Fails unless nothing was inserted. */
export const expectNone = async (store: TodaysStore): Promise<void> => {
  await expectStored(store, fork, undefined, 'what was refused');
  const page = await answerOf(store.list(TENANT, { offset: 0, limit: 10 }));
  expectEqual(
    page.records.map(({ head }) => head.id).filter((id) => id === fork.id),
    [],
    'what lists show of it',
  );
};
