import { SEARCH_LIMIT } from '../../session/limits.js';
import type { SessionLabels } from '../../session/session.js';
import type { StateRecord } from '../../session/session-record.js';
import type { SessionStatus } from '../../session/session-status.js';
import type { SessionStore } from '../../store/session-store.js';
import { errorOf } from '../answers.js';
import { add, begin, made, put, remove } from '../commits.js';
import { expectEqual } from '../expect-equal.js';
import { atOf, expectWalks, listed, pageOf } from '../page-steps.js';
import { ended, headOf, keyOf, live, NOON, noTerms, say, TENANT, upTo } from '../samples.js';
import type { PortCase } from '../store-case.js';

const mine: SessionLabels = { user: 'u-1' };

const byUpdate = { order: 'updated' } as const;

const of = (changes: Parameters<typeof live>[1]) => ({ labels: mine, ...changes });

const inactive = { ...noTerms, inactivityTimeoutMs: 25 };

/** Sessions of `u-1` in every status and with every way to be updated, and one of `u-2`. */
const states: Readonly<Record<string, StateRecord>> = {
  idle: live('IDLE', of({ lastActivityAt: NOON + 10 })),
  used: live('ACTIVE', of({})),
  paused: live('PAUSED', of({ lastActivityAt: NOON + 20 })),
  due: live('ACTIVE', of({ deadline: NOON + 40, lastActivityAt: NOON + 5 })),
  left: live('ACTIVE', of({ terms: inactive, lastActivityAt: NOON + 6 })),
  same: live('IDLE', of({ lastActivityAt: NOON + 10 })),
  over: live('IDLE', of({})),
  other: live('IDLE', { labels: { user: 'u-2' } }),
};

const addUpdated = async (store: SessionStore): Promise<void> => {
  for (const [at, [id, state]] of Object.entries(states).entries())
    await begin(store, keyOf(id), { head: headOf(id, NOON + at), state });
  const times = { since: NOON + 30, lastActivityAt: NOON + 30, deadline: NOON + 35 };
  await put(store, keyOf('over'), ended('terminated', of({ revision: 2, ...times })));
  const events = [{ type: 'appended' as const, at: NOON + 50 }];
  const effects = { entries: [say('hello')], activity: NOON + 50, events };
  await made(store, { key: keyOf('used'), guards: {}, effects });
};

/** As it is stored, and when the clock has ended two of them. */
const stored = ['used', 'over', 'paused', 'same', 'idle', 'left', 'due'];
const after = ['used', 'due', 'left', 'over', 'paused', 'same', 'idle'];

const statusAt = (now: number, ...anyOf: SessionStatus[]) => ({ anyOf, now: NOON + now });

/** Adds one session more than a search examines; the last one by a second call. */
const addMost = async (
  [store, second]: readonly [SessionStore, SessionStore],
  stateOf: (at: number) => StateRecord,
) => {
  const beginAt = (at: number, each: SessionStore) => {
    const head = headOf(`s${at}`, NOON + at);
    return begin(each, keyOf(head.id), { head, state: stateOf(at) });
  };
  for (let from = 0; from < SEARCH_LIMIT; from += 200)
    await Promise.all(upTo(200).map((at) => beginAt(from + at, at % 2 === 0 ? store : second)));
  return () => beginAt(SEARCH_LIMIT, store);
};

const limitIn = async (store: SessionStore, range: Parameters<typeof listed>[1]) => {
  const error = await errorOf(store.page(TENANT, { offset: 0, limit: 1, ...range }));
  return error.type === 'search_too_large' ? error.limit : error.type;
};

/** The order `updated`, and searches by label that any store must bound. */
export const searches: readonly PortCase[] = [
  {
    name: 'updated: the session first that was used, changed or ended last, of all or with a label',
    run: async (store) => {
      await addUpdated(store);
      await begin(store, keyOf('one', 'globex'));
      for (const labels of [mine, undefined]) {
        const rest = labels === undefined ? ['other'] : [];
        const range = { ...byUpdate, labels };
        const what = labels === undefined ? 'all:' : 'with a label:';
        await expectWalks(store, range, [...stored, ...rest], `${what} as it is stored`);
        const before = { ...range, now: NOON + 30 };
        await expectWalks(store, before, [...stored, ...rest], `${what} before the clock ends any`);
        const late = { ...range, now: NOON + 60 };
        await expectWalks(store, late, [...after, ...rest], `${what} after the clock ended two`);
        const { next } = await listed(store, { ...late, limit: 2 });
        expectEqual(next, { id: 'due', at: atOf(40) }, `${what} the place after the first page`);
        const between = { createdAfter: atOf(0), createdBefore: atOf(5) };
        await expectWalks(store, { ...range, ...between }, ['used', 'paused', 'left', 'due'], what);
      }
      expectEqual((await pageOf(store, byUpdate, 'nobody')).total, 0, 'another tenant');
    },
  },
  {
    name: 'updated: a change of labels or an append moves a session, and a removal takes it out',
    run: async (store) => {
      await addUpdated(store);
      const labels = { ...mine, title: 'x' };
      const state = live('IDLE', { revision: 2, labels, lastActivityAt: NOON + 70 });
      await put(store, keyOf('idle'), state);
      await add(store, keyOf('due'), [say('before the latest activity')]);
      for (const range of [byUpdate, { ...byUpdate, labels: mine }]) {
        const { ids } = await listed(store, range);
        expectEqual(ids.slice(0, 2), ['idle', 'used'], 'after a change of labels');
        expectEqual(ids.indexOf('due'), 6, 'the place after an earlier activity');
      }
      await remove(store, keyOf('used'));
      for (const range of [byUpdate, { ...byUpdate, labels: mine }])
        expectEqual((await listed(store, range)).ids.slice(0, 2), ['idle', 'over'], 'a removal');
    },
  },
  {
    name: 'label: a label with a status gives the sessions that have it at the time, ended by the clock or not',
    run: async (store) => {
      await addUpdated(store);
      const expected = [
        [0, 'IDLE', ['same', 'idle']],
        [0, 'PAUSED', ['paused']],
        [0, 'TERMINATED', ['over']],
        [0, 'ACTIVE', ['left', 'due', 'used']],
        [30, 'ACTIVE', ['left', 'due', 'used']],
        [31, 'ACTIVE', ['due', 'used']],
        [39, 'ACTIVE', ['due', 'used']],
        [40, 'ACTIVE', ['used']],
        [40, 'TERMINATED', ['over', 'left', 'due']],
      ] as const;
      for (const [now, status, ids] of expected) {
        const range = { labels: mine, status: statusAt(now, status) };
        await expectWalks(store, range, ids, `${status} at ${now}`);
      }
      const byLast = { ...byUpdate, labels: mine, now: NOON + 60 };
      const over = await listed(store, { ...byLast, status: statusAt(60, 'TERMINATED') });
      expectEqual(over.ids, ['due', 'left', 'over'], 'in the order updated');
    },
  },
  {
    name: 'label: a search examines up to 10,000 sessions, and more are an error; a list by one label alone has no limit',
    run: async (store, second) => {
      const addLast = await addMost([store, second], (at) =>
        live('IDLE', { labels: at < 2 ? { ...mine, rare: 'yes' } : mine }),
      );
      const labelled = { ...byUpdate, labels: mine, limit: 1 };
      expectEqual((await listed(store, labelled)).total, SEARCH_LIMIT, 'the total of as many');
      await addLast();
      const byStatus = { labels: mine, status: statusAt(0, 'IDLE') };
      for (const range of [labelled, byStatus, byUpdate])
        expectEqual(
          await limitIn(store, range),
          SEARCH_LIMIT,
          'the limit in the error of one more',
        );
      const { total } = await listed(store, { labels: mine, limit: 1 });
      expectEqual(total, SEARCH_LIMIT + 1, 'the total of one label alone');
      const rare = await listed(store, { labels: { ...mine, rare: 'yes' } });
      expectEqual([rare.ids, rare.total], [['s1', 's0'], 2], 'the sessions of a rare label');
      for (const range of [labelled, byUpdate]) {
        const later = await listed(store, { ...range, limit: 1, createdAfter: atOf(0) });
        expectEqual(later.total, SEARCH_LIMIT, 'the total of those of a shorter time');
      }
    },
  },
];

/** The order `updated` with statuses. */
export const searchesByStatus: readonly PortCase[] = [
  {
    name: 'updated: of some statuses, those that have one of them at the time, ended by the clock or not',
    run: async (store) => {
      await addUpdated(store);
      const others = ['due', 'left', 'over', 'same', 'idle', 'other'];
      const expected: readonly (readonly [number, readonly SessionStatus[], readonly string[]])[] =
        [
          [0, ['IDLE'], ['same', 'idle', 'other']],
          [0, ['ACTIVE', 'PAUSED'], ['used', 'paused', 'left', 'due']],
          [60, ['ACTIVE', 'PAUSED'], ['used', 'paused']],
          [60, ['TERMINATED'], ['due', 'left', 'over']],
          [60, ['IDLE', 'TERMINATED'], others],
        ];
      for (const [now, anyOf, ids] of expected) {
        const range = { ...byUpdate, now: NOON + now, status: statusAt(now, ...anyOf) };
        await expectWalks(store, range, ids, `${anyOf} at ${now}`);
      }
    },
  },
  {
    name: 'updated: of some statuses, up to 10,000 sessions are examined, and more are an error',
    run: async (store, second) => {
      const addLast = await addMost([store, second], () => live('IDLE'));
      await addLast();
      const ofStatus = (...anyOf: SessionStatus[]) => ({
        ...byUpdate,
        limit: 1,
        status: statusAt(0, ...anyOf),
      });
      expectEqual(await limitIn(store, ofStatus('IDLE')), SEARCH_LIMIT, 'the limit in the error');
      await put(store, keyOf('s7'), live('ACTIVE', { revision: 2 }));
      expectEqual((await listed(store, ofStatus('IDLE'))).total, SEARCH_LIMIT, 'as many');
      expectEqual((await listed(store, ofStatus('ACTIVE', 'PAUSED'))).total, 1, 'two statuses');
      const both = await limitIn(store, ofStatus('IDLE', 'ACTIVE'));
      expectEqual(both, SEARCH_LIMIT, 'the limit in the error of two statuses');
    },
  },
];
