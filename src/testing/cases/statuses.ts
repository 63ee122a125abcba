import type { StateRecord } from '../../session/session-record.js';
import { type SessionStatus, sessionStatuses } from '../../session/session-status.js';
import { endsAt } from '../../session/state-at.js';
import type { SessionStore } from '../../store/session-store.js';
import { expectEqual } from '../answers.js';
import { begin, due, FAR, put, remove, tryPut, stateOf } from '../commits.js';
import { atOf, expectSlices, expectWalks, idsOf, listed, pageOf, walk } from '../page-steps.js';
import { ended, headOf, keyOf, live, NOON, noTerms, upTo } from '../samples.js';
import type { Cases } from '../store-case.js';

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
  live('ACTIVE', { revision: 2, terms: { ...noTerms, inactivityTimeoutMs: 250 + at } }),
]);

const sessions = states.map((state, at) => ({
  id: `s${(at * 7) % states.length}`,
  createdMs: NOON - at,
  state,
}));

const addAll = async (store: SessionStore): Promise<void> => {
  for (const { id, createdMs, state } of sessions) {
    await begin(store, keyOf(id), { head: headOf(id, createdMs), state: live('IDLE') });
    await put(store, keyOf(id), state);
  }
};

/** The ids of the sessions that have one of some statuses at a time, newest first. */
const idsAt = (anyOf: readonly SessionStatus[], now: number): readonly string[] =>
  sessions
    .filter(({ state }) => anyOf.includes(now >= endsAt(state) ? 'TERMINATED' : state.status))
    .map(({ id }) => id);

const groups: readonly (readonly SessionStatus[])[] = [
  ...sessionStatuses.map((status) => [status]),
  ['PAUSED', 'ACTIVE'],
  ['IDLE', 'TERMINATED'],
  ['IDLE', 'ACTIVE', 'PAUSED'],
  sessionStatuses,
];

/** Before, at and after each kind of deadline. */
const times = [0, 99, 100, 102, 150, 200, 201, 203, 249, 250, 252, 298, 299, 300, 301, 1_000_000];

/** The ids of the sessions of each status. */
const everywhere = async (store: SessionStore): Promise<readonly (readonly string[])[]> => {
  const found: (readonly string[])[] = [];
  for (const status of sessionStatuses)
    found.push(idsOf(await pageOf(store, { status: { anyOf: [status], now: NOON } })));
  return found;
};

/** Lists by one status and by several. */
export const statuses: Cases = {
  'status: a session is listed by its present status, and a refused change does not move it':
    async (store) => {
      const key = keyOf('one');
      const steps: readonly (readonly [SessionStatus | undefined, () => Promise<unknown>])[] = [
        ['IDLE', () => begin(store, key, { state: live('IDLE') })],
        ['IDLE', () => tryPut(store, key, live('ACTIVE', { revision: 7 }))],
        ['ACTIVE', () => put(store, key, live('ACTIVE'))],
        ['PAUSED', () => put(store, key, live('PAUSED'))],
        ['TERMINATED', () => put(store, key, ended('failed'))],
        [undefined, () => remove(store, key)],
        ['PAUSED', () => begin(store, key, { state: live('PAUSED') })],
      ];
      await begin(store, keyOf('one', 'globex'));
      for (const [at, [status, step]] of steps.entries()) {
        await step();
        const expected = sessionStatuses.map((each) => (each === status ? ['one'] : []));
        expectEqual(await everywhere(store), expected, `the lists after step ${at + 1}`);
      }
    },
  'status: a session whose time is over is TERMINATED then, and only then, even for a clock that is behind':
    async (store) => {
      await addAll(store);
      const before = await due(store, FAR);
      for (const ms of [...times, ...times.toReversed()]) {
        for (const anyOf of groups) {
          const now = NOON + ms;
          const ids = idsAt(anyOf, now);
          const page = await listed(store, { status: { anyOf, now } });
          const expected = { ids, total: ids.length, next: undefined };
          expectEqual(page, expected, `${anyOf} at noon and ${ms} ms`);
        }
      }
      for (const { id, state } of sessions)
        expectEqual(await stateOf(store, keyOf(id)), state, `${id} after the lists`);
      expectEqual(await due(store, FAR), before, 'due after the lists');
    },
  'status: at a time, each page by offset is a slice of the same list, in both orders': async (
    store,
  ) => {
    await addAll(store);
    const now = NOON + 201;
    for (const anyOf of groups)
      await expectSlices(store, { status: { anyOf, now } }, idsAt(anyOf, now), `${anyOf}`);
  },
  'status: at a time, a walk by cursor meets each session once, in both orders and between two times':
    async (store) => {
      await addAll(store);
      const between = { createdBefore: atOf(-3), createdAfter: atOf(-20) };
      const inner = new Set(sessions.slice(4, 20).map(({ id }) => id));
      for (const now of [NOON + 101, NOON + 201, NOON + 299]) {
        for (const anyOf of groups) {
          const [status, ids] = [{ anyOf, now }, idsAt(anyOf, now)];
          await expectWalks(store, { status }, ids, `${anyOf}`);
          const some = ids.filter((id) => inner.has(id));
          await expectWalks(store, { status, ...between }, some, `${anyOf}, between two times`);
        }
      }
    },
  'status: a session that moves between the statuses of a list keeps its place in it': async (
    store,
  ) => {
    const ids = upTo(12).map((at) => `s${String(at).padStart(2, '0')}`);
    for (const [at, id] of ids.entries())
      await begin(store, keyOf(id), { head: headOf(id, NOON + Math.floor(at / 3)) });
    const status = { anyOf: ['ACTIVE', 'PAUSED'], now: NOON } as const;
    let revision = 1;
    const moveAll = async () => {
      revision += 1;
      for (const [at, id] of ids.entries()) {
        const next = (at + revision) % 2 === 0 ? 'ACTIVE' : 'PAUSED';
        await put(store, keyOf(id), live(next, { revision }));
      }
    };
    for (const order of ['newest', 'oldest'] as const) {
      const found = await walk(store, { limit: 2, order, status }, moveAll);
      const expected = order === 'newest' ? ids.toReversed() : ids;
      expectEqual(found, expected, `the sessions, ${order} first`);
    }
    await put(store, keyOf('s03'), ended('failed'));
    expectEqual((await listed(store, { limit: 1, status })).total, 11, 'the total after an end');
  },
  'status: each session is listed once after changes that race': async (store, second) => {
    const ids = upTo(20).map((at) => `s${at}`);
    for (const id of ids) await begin(store, keyOf(id));
    const next = [live('PAUSED', { revision: 2 }), ended('failed', { revision: 2 })] as const;
    await Promise.all(
      ids.flatMap((id) => [tryPut(store, keyOf(id), next[0]), tryPut(second, keyOf(id), next[1])]),
    );
    const found = (await everywhere(store)).flat();
    expectEqual(found.toSorted(), ids.toSorted(), 'the ids of all lists together');
  },
};
