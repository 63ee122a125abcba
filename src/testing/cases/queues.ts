import type { StateRecord, WorkRecord } from '../../session/session-record.js';
import { hasRunOut } from '../../session/work-state.js';
import type { DueKey, SessionStore, TakenRecord, TakeRange } from '../../store/session-store.js';
import { answerOf, expectEqual, expectThat } from '../answers.js';
import {
  addGuarded,
  append,
  begin,
  due,
  expectDue,
  expectUnchanged,
  FAR,
  find,
  guardedState,
  key,
  MADE,
  move,
  put,
  raceOf,
  refused,
  remove,
  waiting,
} from '../commits.js';
import { pageOf } from '../page-steps.js';
import { ended, endingAfter, keyOf, live, NEVER, NOON, TENANT, upTo } from '../samples.js';
import type { Cases } from '../store-case.js';

/** The time until which a take reserves sessions. */
const LATER = NOON + 10_000;

const A_MINUTE = 60_000;

const beginWaiting = (
  store: SessionStore,
  id: string,
  work: WorkRecord = { wakeAt: NOON },
  { tenant = TENANT, ...changes }: Parameters<typeof live>[1] & { tenant?: string } = {},
) => begin(store, keyOf(id, tenant), { state: live('ACTIVE', { work, ...changes }) });

/** Takes from all parts of a store up to the limit, as a worker does. */
const take = async (
  store: SessionStore,
  range: Partial<TakeRange> = {},
): Promise<readonly TakenRecord[]> => {
  const { limit = 100, now = NOON } = range;
  const until = Math.max(LATER, now + 1);
  const taken: TakenRecord[] = [];
  let cursor: string | undefined;
  for (let call = 0; call < 100 && taken.length < limit; call += 1) {
    const room = limit - taken.length;
    const all = { tenant: TENANT, now, until, inCompany: taken.length > 0, ...range };
    const part = await answerOf(store.take({ ...all, limit: room, cursor }));
    expectEqual(part.failed, [], 'errors of a take');
    expectThat(part.sessions.length <= room, 'a take returns at most its limit of sessions');
    taken.push(...part.sessions);
    cursor = part.nextCursor;
    if (part.sessions.some(({ record }) => hasRunOut(record.state, now))) break;
    if (cursor === undefined && !part.hasMore) break;
  }
  return taken;
};

const idsOf = async (store: SessionStore, range?: Partial<TakeRange>): Promise<readonly string[]> =>
  (await take(store, range)).map(({ id }) => id);

const beginEach = async (store: SessionStore, tenants: readonly string[], count: number) => {
  for (const tenant of tenants)
    for (const at of upTo(count)) await beginWaiting(store, `s${at}`, undefined, { tenant });
};

const everyone = { tenant: undefined };

/** The tenants that `count` takes serve, by two stores alternately. */
const tenantsInTurn = async (
  store: SessionStore,
  second: SessionStore,
  count: number,
  limit = 1,
): Promise<readonly string[]> => {
  const served: string[] = [];
  for (const at of upTo(count)) {
    const range = { ...everyone, now: NOON + at, limit };
    const taken = await take(at % 2 === 0 ? store : second, range);
    served.push(...taken.map(({ tenant }) => tenant));
  }
  return served;
};

const terms = endingAfter(10 * A_MINUTE);

/** The work of a session whose worker has crashed. It has been waiting since `until`. */
const crashed = (until: number) => ({
  lease: { holder: 'crashed', fencingToken: 1, takenAt: NOON - 9000, until, maxAttempts: 10 },
  wakeAt: NOON - 9000,
});

const beginDue = (store: SessionStore, each: DueKey, deadline: number) =>
  begin(store, each, { state: live('IDLE', { deadline }) });

export const queues: Cases = {
  'take: hands out a session at its time, and not again before until': async (store, second) => {
    await beginWaiting(store, 'one', { wakeAt: NOON + 5 });
    await append(store, key, ['hello']);
    await beginWaiting(store, 'idle', {});
    const record = await find(store, key, { historyLimit: 0 });
    expectEqual(await idsOf(store, { now: NOON + 4 }), [], 'a millisecond before');
    const until = NOON + 50;
    const [first, ...others] = await take(store, { now: NOON + 5, until });
    expectEqual([first, others], [{ ...key, dueAt: NOON + 5, record }, []], 'then');
    for (const each of [store, second])
      expectEqual(await idsOf(each, { now: until - 1 }), [], 'while it is handed out');
    expectEqual(await idsOf(second, { now: until }), ['one'], 'from then on');
  },
  'take: hands out the longest waiting sessions up to limit, and changes nothing else': async (
    store,
  ) => {
    for (const at of [3, 0, 4, 1, 2])
      await beginWaiting(store, `s${9 - at}`, { wakeAt: NOON + at }, { deadline: LATER });
    const before = await pageOf(store, {});
    const dueBefore = await due(store, LATER);
    const now = NOON + 10;
    const taken: (readonly string[])[] = [];
    for (const limit of [2, 1, 9, 9]) taken.push(await idsOf(store, { now, limit }));
    expectEqual(taken, [['s9', 's8'], ['s7'], ['s6', 's5'], []], 'the takes');
    expectEqual(await pageOf(store, {}), before, 'the sessions');
    expectEqual(await due(store, LATER), dueBefore, 'what is due');
  },
  'take: follows the latest state of a session that was put, ended or removed': async (store) => {
    await beginWaiting(store, 'one');
    const waits = live('ACTIVE', { work: { wakeAt: NOON + 20 } });
    const states: readonly (readonly [StateRecord, number | undefined])[] = [
      [waits, NOON + 20],
      [live('PAUSED'), undefined],
      [live('IDLE', { work: { wakeAt: NOON } }), NOON],
      [ended('failed', { work: { wakeAt: NOON } }), undefined],
    ];
    for (const [at, [state, from]] of states.entries()) {
      await idsOf(store, { now: NOON + 30 });
      await put(store, key, state);
      const early = from === undefined ? LATER - 1 : from - 1;
      expectEqual(await waiting(store, early), 0, `waiting before, state ${at}`);
      if (from !== undefined) expectEqual(await idsOf(store, { now: from }), ['one'], 'then');
    }
    await remove(store, key);
    await beginWaiting(store, 'one', { wakeAt: NOON + 5 });
    expectEqual(await waiting(store, NOON + 4), 0, 'under the id of a removed session');
    await remove(store, key);
    expectEqual(await idsOf(store, { now: LATER }), [], 'after the removal');
  },
  'take: racing calls hand out each session exactly once': async (store, second) => {
    const ids = upTo(100).map((at) => `s${at}`);
    for (const id of ids) await beginWaiting(store, id);
    const all = await raceOf([store, second], (each) => take(each, { limit: 3 }));
    const found = all.flat().map(({ id }) => id);
    expectEqual(found.toSorted(), ids.toSorted(), 'the sessions of all takes');
  },
  'countWaiting: counts what take could return, up to its limit': async (store, second) => {
    for (const tenant of [TENANT, 'other', 'third'])
      for (const at of upTo(4))
        await beginWaiting(store, `s${at}`, { wakeAt: NOON + at }, { tenant });
    const ofOne = [await waiting(store, NOON - 1), await waiting(second, NOON + 1)];
    expectEqual(ofOne, [0, 2], 'of one');
    expectEqual(await waiting(second, NOON + 3, 'nobody'), 0, 'of no tenant');
    for (const [limit, expected] of [
      [20, 12],
      [11, 11],
    ]) {
      const range = { now: NOON + 3, limit: limit ?? 0 };
      expectEqual(await answerOf(store.countWaiting(range)), expected, 'of all');
    }
    await idsOf(store, { limit: 1 });
    expectEqual(await waiting(second, NOON + 3), 3, 'after a take');
    await remove(store, keyOf('s3'));
    expectEqual(await waiting(second, NOON + 3), 2, 'after a removal');
  },
  'take: tenants take turns in all processes, whatever the limit': async (store, second) => {
    for (const limit of [1, 2]) {
      const tenants = upTo(6).map((at) => `t${at} by ${limit}`);
      await beginEach(store, tenants, 3);
      const served = await tenantsInTurn(store, second, 18 / limit, limit);
      for (const round of upTo(3)) {
        const part = served.slice(6 * round, 6 * round + 6);
        expectEqual(part.toSorted(), tenants, `round ${round}, ${limit} at a time`);
      }
    }
  },
  'take: a tenant with a backlog does not delay others': async (store, second) => {
    const backlog = { wakeAt: NOON - 1000 };
    for (const at of upTo(30)) await beginWaiting(store, `s${at}`, backlog, { tenant: 'busy' });
    const alone = await tenantsInTurn(store, second, 3);
    expectEqual(alone, ['busy', 'busy', 'busy'], 'alone');
    const calm = upTo(5).map((at) => `calm${at}`);
    await beginEach(store, calm, 1);
    const served = await tenantsInTurn(store, second, 12);
    expectEqual(served.filter((name) => name !== 'busy').toSorted(), calm, 'the others');
  },
  'take: expired sessions are never returned, and do not delay others': async (store, second) => {
    const over = { deadline: NOON };
    for (const at of upTo(40)) await beginWaiting(store, `over${at}`, { wakeAt: NOON - 9 }, over);
    for (const tenant of ['x', 'y', 'z'])
      await beginWaiting(store, 'over', undefined, { ...over, tenant });
    await beginWaiting(store, 'live', undefined, { deadline: NOON + A_MINUTE });
    await beginWaiting(store, 'live', undefined, { tenant: 'other' });
    expectEqual([await waiting(store, NOON), await waiting(second, NOON - 1)], [1, 40], 'waiting');
    const range = { ...everyone, limit: 1 };
    const taken = [...(await take(store, range)), ...(await take(second, range))];
    const names = taken.map(({ tenant, id }) => `${tenant} ${id}`);
    expectEqual(names.toSorted(), [`${TENANT} live`, 'other live'], 'two takes');
    const later = await idsOf(store, { ...everyone, now: NOON + 3 * A_MINUTE });
    expectEqual(later, ['live'], 'a later take');
  },
  'take: a session stays in the queue if an activity postpones its end': async (store, second) => {
    for (const id of ['unused', 'used']) await beginWaiting(store, id, undefined, { terms });
    const end = NOON + 10 * A_MINUTE;
    await append(store, keyOf('used'), ['x'], {}, { activity: NOON + 5000 });
    expectEqual(await waiting(second, end), 1, 'waiting after the first end');
    expectEqual(await idsOf(second, { now: end, until: end + 5 }), ['used'], 'a take after it');
    expectEqual(await idsOf(store, { now: end + 9000 }), [], 'by a fast clock');
    await append(second, keyOf('used'), ['x'], {}, { activity: end });
    const later = { now: end + 9000 + A_MINUTE };
    expectEqual(await idsOf(store, later), ['used'], 'a minute later');
  },
  'take: a session with an expired lease is returned alone if it has waited longest': async (
    store,
    second,
  ) => {
    for (const at of upTo(3)) await beginWaiting(store, `crash${at}`, crashed(NOON - 5000 + at));
    for (const at of upTo(3)) await beginWaiting(store, `s${at}`, { wakeAt: NOON - at });
    for (const at of upTo(3)) expectEqual(await idsOf(store), [`crash${at}`], 'a take');
    expectEqual(await idsOf(second), ['s2', 's1', 's0'], 'the others');
  },
  'take: a session with an expired lease is not returned with others, or in company': async (
    store,
  ) => {
    await beginWaiting(store, 'first', { wakeAt: NOON - 2000 });
    await beginWaiting(store, 'crashed', crashed(NOON - 1000));
    await beginWaiting(store, 'last');
    expectEqual(await idsOf(store, { limit: 3 }), ['first', 'last'], 'the first take');
    expectEqual(await idsOf(store, { inCompany: true }), [], 'in company');
    expectEqual(await idsOf(store, { limit: 3 }), ['crashed'], 'the take after it');
  },
  'take: a session with an expired lease is returned alone across all tenants': async (store) => {
    for (const tenant of ['a', 'b', 'c', 'd']) {
      await beginWaiting(store, 'crashed', crashed(NOON - 5000), { tenant });
      await beginWaiting(store, 'calm', undefined, { tenant });
    }
    let count = 0;
    for (const _ of upTo(8)) {
      const ids = await idsOf(store, { ...everyone, limit: 10 });
      count += ids.length;
      const isAlone = ids.length === 1 || ids.every((id) => id === 'calm');
      expectThat(isAlone, 'a session with an expired lease is returned alone');
    }
    expectEqual(count, 8, 'the number of all sessions');
  },
  'due: lists the longest overdue first, and no session before its time': async (store, second) => {
    expectEqual(await due(store, FAR), [], 'in an empty store');
    await begin(store, key);
    await begin(store, keyOf('two'), { state: ended('failed') });
    expectEqual(await due(store, Number.MAX_SAFE_INTEGER), [], 'without an end');
    const order = [3, 0, 4, 1, 2];
    for (const at of order) await beginDue(store, keyOf(`s${9 - at}`), NOON + at);
    for (const now of [-1, 0, 2, 4])
      expectEqual(
        await due(second, NOON + now),
        upTo(now + 1).map((at) => ({ ...keyOf(`s${9 - at}`), dueAt: NOON + at })),
        `due after ${now} milliseconds`,
      );
    const { sessions } = await answerOf(store.due(NOON + 4, 2));
    expectThat(sessions.length <= 2, 'due returns at most its limit of sessions');
  },
  'due: a tenant with many sessions does not delay others': async (store) => {
    const few = upTo(3).map((at) => keyOf(`s${at}`, 'few'));
    for (const at of upTo(40)) await beginDue(store, keyOf(`s${at}`, 'many'), NOON);
    for (const each of few) await beginDue(store, each, NOON + 1);
    const first = await due(store, NOON + 1, 10);
    const ofFew = first.filter(({ tenant }) => tenant === 'few').map(({ id }) => id);
    expectEqual(ofFew.toSorted(), ['s0', 's1', 's2'], 'the few');
    expectEqual((await due(store, NOON + 1, 1000)).length, 43, 'all that are due');
    expectEqual((await answerOf(store.due(NOON + 1, 10))).hasMore, true, 'hasMore');
  },
  'move: changes when a session is due, and nothing else': async (store, second) => {
    await addGuarded(store);
    const before = await find(store);
    let from = NOON + 100;
    for (const to of [NOON + 40, NOON + 90, NOON + 100]) {
      expectEqual(await move(store, key, from, to, 5), MADE, 'move');
      await expectDue(second, key, to);
      from = to;
    }
    expectEqual(await move(store, key, from, NEVER), MADE, 'move to never');
    expectEqual(await due(second, FAR), [], 'due after that');
    expectEqual(await find(store), before, 'the record');
    await put(store, key, guardedState);
    await expectDue(second, key, NOON + 100, 'after a put');
  },
  'move: checks present, revision and dueAt, and moves nothing if one fails': async (store) => {
    await addGuarded(store);
    await expectUnchanged(store, 'after the refusals', async () => {
      const [later, none] = [NOON + 200, keyOf('two')];
      const stale = refused('revision', { state: guardedState });
      for (const [of, from, revision, answer] of [
        [none, NOON, 5, refused('present')],
        [key, NOON + 1, 4, stale],
        [key, NOON + 99, 5, refused('dueAt')],
        [key, NOON + 101, 5, refused('dueAt')],
        [key, NOON, undefined, refused('dueAt')],
        [none, NOON, undefined, refused('dueAt')],
      ] as const) {
        const what = `${of.id} from ${from} with the revision ${revision}`;
        expectEqual(await move(store, of, from, later, revision), answer, what);
      }
    });
    await remove(store, key);
    expectEqual(await move(store, key, NOON + 100, FAR), refused('dueAt'), 'a removed session');
    expectEqual(await due(store, FAR), [], 'due after the removal');
  },
};
