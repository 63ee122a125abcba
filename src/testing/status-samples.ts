import type { StateRecord } from '../session/session-record.js';
import type { SessionStatus } from '../session/session-status.js';
import { expectEqual, expectThat } from './expect-equal.js';
import { ended, headOf, keyOf, live, NOON, TENANT, upTo } from './samples.js';
import { answerOf, insert, repeatUntil, replace } from './steps.js';
import type { PageRange, TodaysStore } from './todays-store.js';

/** Every status, with and without a deadline; three sessions of each. */
const states: readonly StateRecord[] = upTo(3).flatMap((at) => [
  live('IDLE', { revision: 2, deadline: NOON + 100 + at }),
  live('IDLE', { revision: 2 }),
  live('ACTIVE', { revision: 2, limitMs: 200 + at, deadline: NOON + 200 + at }),
  live('ACTIVE', { revision: 2 }),
  live('PAUSED', { revision: 2, deadline: NOON + 300 - at }),
  live('PAUSED', { revision: 2, limitMs: 1000 }),
  ended('failed', { revision: 2, deadline: NOON + 150 }),
  ended('terminated', { revision: 2 }),
]);

export const sessions = states.map((state, at) => ({
  id: `s${(at * 7) % states.length}`,
  createdMs: NOON - at,
  state,
}));

export const insertAll = async (store: TodaysStore): Promise<void> => {
  for (const { id, createdMs, state } of sessions) {
    await insert(store, keyOf(id), headOf(id, createdMs));
    await replace(store, keyOf(id), state);
  }
};

/** The ids of the sessions that have one of some statuses at a time, newest first. */
export const idsAt = (anyOf: readonly SessionStatus[], now: number): readonly string[] =>
  sessions
    .filter(({ state }) => anyOf.includes(now >= state.deadline ? 'TERMINATED' : state.status))
    .map(({ id }) => id);

export const listed = async (store: TodaysStore, range: PageRange) => {
  const page = await answerOf(store.list(TENANT, range));
  return { ids: page.records.map(({ head }) => head.id), total: page.total, next: page.nextCursor };
};

/** All pages of a range, read one after another by their cursors. */
export const walked = async (
  store: TodaysStore,
  range: PageRange,
  total: number,
): Promise<readonly string[]> => {
  const ids: string[] = [];
  let { cursor: after } = range;
  await repeatUntil('a page without next', sessions.length + 1, async () => {
    const page = await listed(store, { ...range, cursor: after });
    expectThat(page.ids.length <= range.limit, `a page has at most ${range.limit} sessions`);
    expectEqual(page.total, total, 'the total of a page after a cursor');
    ids.push(...page.ids);
    after = page.next;
    return after === undefined;
  });
  return ids;
};
