import type { SessionLabels } from '../session/session.js';
import type { StateRecord } from '../session/session-record.js';
import { expectEqual } from './expect-equal.js';
import { ended, headOf, keyOf, live, NOON, TENANT } from './samples.js';
import { answerOf, dueOf, expectStored, insert, replace } from './steps.js';
import type { DueKey, SessionKey, TodaysStore } from './todays-store.js';

export const key = keyOf('one');
export const FAR = NOON + 1_000_000_000;

export const active = live('ACTIVE', { revision: 2, startedAt: NOON });

/** The end of a session whose report is due at NOON + 10, and its retention over at NOON + 60. */
export const end = ended('terminated', {
  revision: 3,
  since: NOON + 10,
  startedAt: NOON,
  deadline: NOON + 60,
  report: { removal: '3', dueAt: NOON + 10 },
});

/** The next state of an end whose report is due at another time, or without a report. */
export const withReport = (state: StateRecord, revision: number, dueAt?: number): StateRecord => {
  const { report, ...rest } = state;
  if (dueAt === undefined) return { ...rest, revision };
  return { ...rest, revision, report: { removal: '3', ...report, dueAt } };
};

/** Inserts a session and starts it. */
export const start = async (
  store: TodaysStore,
  each: SessionKey = key,
  labels?: SessionLabels,
): Promise<void> => {
  const labelled = labels === undefined ? {} : { labels };
  await insert(store, each, headOf(each.id), { ...live('IDLE'), ...labelled });
  await replace(store, each, { ...active, ...labelled });
};

/** What is left of a session that was removed at NOON + 20. */
export const remainsOf = (state: StateRecord, removal = '7', dueAt = NOON + 20) => ({
  removal,
  state: { ...state, report: { removal, dueAt, removedAt: NOON + 20 } },
});

/** Removes a session at NOON + 20, and keeps what a report of its end needs. */
export const removeWithRemains = async (
  store: TodaysStore,
  state: StateRecord,
  removal = '7',
  dueAt = NOON + 20,
): Promise<DueKey> => {
  const remains = remainsOf(state, removal, dueAt);
  const call = store.remove(key, { revision: state.revision, now: NOON + 20, remains });
  expectEqual(await answerOf(call), 'removed', 'remove');
  return { ...key, removal };
};

/** Fails if a reader sees the session. */
export const expectGone = async (store: TodaysStore): Promise<void> => {
  await expectStored(store, key, undefined);
  const page = await answerOf(store.list(TENANT, { offset: 0, limit: 10 }));
  expectEqual(page, { records: [], total: 0, unreadable: [] }, 'the page');
};

/** Fails unless nothing is due at any time. */
export const expectNothingDue = async (store: TodaysStore): Promise<void> => {
  expectEqual(await dueOf(store, FAR, 10), [], 'due at any time');
};
