import type { EndedRecord } from '../session/ended-session.js';
import type { SessionLabels } from '../session/session.js';
import type { UnreportedEnd } from '../store/end-queue.js';
import type { SessionKey, SessionStore } from '../store/session-store.js';
import { expectEqual } from './expect-equal.js';
import { ended, headOf, keyOf, live, NOON, reported, TENANT } from './samples.js';
import { answerOf, dueOf, endsOf, expectStored, insert, replace } from './steps.js';

export const key = keyOf('one');
export const FAR = NOON + 1_000_000_000;

export const active = live('ACTIVE', { revision: 2, startedAt: NOON, terms: reported });
export const end = ended('terminated', {
  revision: 3,
  since: NOON + 10,
  startedAt: NOON,
  deadline: NOON + 60,
  terms: reported,
});

/** Inserts a session whose end must be reported, and starts it. */
export const start = async (store: SessionStore, each: SessionKey = key, labels?: SessionLabels): Promise<void> => {
  const labelled = labels === undefined ? {} : { labels };
  await insert(store, each, headOf(each.id), { ...live('IDLE', { terms: reported }), ...labelled });
  await replace(store, each, { ...active, ...labelled });
};

/** The record of an end to report. Fails if it cannot be read. */
export const reportOf = ({ ended: found }: UnreportedEnd): EndedRecord | undefined => {
  if (found.isOk()) return found.value;
  throw new Error(`the end answered ${found.error.type}: ${found.error.message}`);
};

/** Fails unless exactly these ends are due, with these keys, times and records. */
export const expectDue = async (
  store: SessionStore,
  now: number,
  expected: readonly (readonly [SessionKey, dueAt: number, EndedRecord])[],
  what = 'the ends',
): Promise<readonly UnreportedEnd[]> => {
  const found = await endsOf(store, now, 100);
  const actual = found.map((each) => [{ tenant: each.tenant, id: each.id }, each.dueAt, reportOf(each)]);
  expectEqual(actual, expected, what);
  return found;
};

export const firstOf = async (store: SessionStore, now = FAR): Promise<UnreportedEnd> => {
  const [first] = await endsOf(store, now, 1);
  if (first === undefined) throw new Error('no end is due');
  return first;
};

export const settle = async (store: SessionStore): Promise<void> => {
  expectEqual(await answerOf(store.ends.settle(await firstOf(store))), 'settled', 'settle');
};

export const isGone = async (store: SessionStore): Promise<void> => {
  await expectStored(store, key, undefined);
  const page = await answerOf(store.list(TENANT, { offset: 0, limit: 10 }));
  expectEqual(page, { records: [], total: 0, unreadable: [] }, 'the page');
  expectEqual(await dueOf(store, FAR, 10), [], 'due');
};
