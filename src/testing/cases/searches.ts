import { SEARCH_LIMIT } from '../../session/limits.js';
import type { SessionLabels } from '../../session/session.js';
import type { StateRecord } from '../../session/session-record.js';
import type { SessionStatus } from '../../session/session-status.js';
import type { SessionStore } from '../../store/session-store.js';
import { errorOf, expectEqual, expectStored, expectThat } from '../answers.js';
import { begin, beginAt, made, put, theirs } from '../commits.js';
import { hostileTexts } from '../hostile-texts.js';
import { atOf, between, expectList, expectWalks, idsOf, listed, pageOf } from '../page-steps.js';
import { ended, endingAfter, headOf, keyOf, live, NOON, say, TENANT, upTo } from '../samples.js';
import type { Cases } from '../store-case.js';

const user = (value: string): SessionLabels => ({ user: value });

const ofWeb: SessionLabels = { user: 'u-1', channel: 'web' };

/**
 * Twelve sessions of two users on two channels, some created in the same millisecond, among others
 * without labels.
 */
const addUsers = async (store: SessionStore): Promise<void> => {
  for (const at of upTo(12)) {
    const labels = { channel: at % 4 < 2 ? 'web' : 'phone', user: at % 2 === 0 ? 'u-1' : 'u-2' };
    const head = headOf(`s${String(at).padStart(2, '0')}`, NOON + Math.floor(at / 3));
    await begin(store, keyOf(head.id), { head, state: live('IDLE', { labels }) });
    await beginAt(store, `none-${at}`, at);
  }
};

const ofOne = ['s10', 's08', 's06', 's04', 's02', 's00'];
const ofBoth = ['s08', 's04', 's00'];

const mine: SessionLabels = { user: 'u-1' };

const byUpdate = { order: 'updated' } as const;

const of = (changes: Parameters<typeof live>[1]) => ({ labels: mine, ...changes });

const inactive = endingAfter(25);

/** Sessions of `u-1` in every status, updated in every way, and one of `u-2`. */
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
    await beginAt(store, id, at, { state });
  const times = { since: NOON + 30, lastActivityAt: NOON + 30, deadline: NOON + 35 };
  await put(store, keyOf('over'), ended('terminated', of(times)));
  const events = [{ type: 'appended' as const, at: NOON + 50 }];
  const effects = { entries: [say('hello')], activity: NOON + 50, events };
  await made(store, { key: keyOf('used'), guards: {}, effects });
};

/** The order as stored, and after the clock has ended two sessions. */
const stored = ['used', 'over', 'paused', 'same', 'idle', 'left', 'due'];
const after = ['used', 'due', 'left', 'over', 'paused', 'same', 'idle'];

const statusAt = (now: number, ...anyOf: SessionStatus[]) => ({ anyOf, now: NOON + now });

/** Fails unless a list by status at a time, in milliseconds after NOON, has these sessions. */
const expectAt = async (
  store: SessionStore,
  range: Parameters<typeof listed>[1],
  lists: readonly (readonly [number, readonly SessionStatus[], readonly string[]])[],
): Promise<void> => {
  for (const [now, anyOf, ids] of lists) {
    const at = { now: NOON + now, status: statusAt(now, ...anyOf) };
    await expectWalks(store, { ...range, ...at }, ids, `${anyOf} at ${now}`);
  }
};

/** Adds as many sessions as a search examines. The returned function adds one more. */
const addMost = async (
  store: SessionStore,
  second: SessionStore,
  stateOf: (at: number) => StateRecord,
) => {
  const add = (at: number) =>
    beginAt(at % 2 === 0 ? store : second, `s${at}`, at, { state: stateOf(at) });
  for (let from = 0; from < SEARCH_LIMIT; from += 200)
    await Promise.all(upTo(200).map((at) => add(from + at)));
  return () => add(SEARCH_LIMIT);
};

const limitIn = async (store: SessionStore, range: Parameters<typeof listed>[1]) => {
  const error = await errorOf(store.page(TENANT, { offset: 0, limit: 1, ...range }));
  return error.type === 'search_too_large' ? error.limit : error.type;
};

export const searches: Cases = {
  'label: sessions are found and read with any label values': async (store) => {
    const texts = hostileTexts.filter((text) => text !== '');
    for (const [at, text] of ['U-1', 'a=b', ':', '","user":"u-2', ...texts].entries()) {
      const value = text.slice(0, 256);
      const key = keyOf(`s${at}`);
      const labels = { user: value, 'a.B_c-9': 'x' };
      const first = live('IDLE', { labels });
      const stored = await begin(store, key, { state: first });
      await expectStored(store, key, stored);
      const state = await put(store, key, live('ACTIVE', { labels }));
      await expectStored(store, key, { ...stored, state }, 'the record after a change');
      const page = await pageOf(store, { labels: user(value), historyLimit: 0 });
      const values = page.records.map((record) => record.state.labels?.['user']);
      expectThat(
        values.every((each) => each === value),
        'the page contains only the label',
      );
      expectThat(idsOf(page).includes(key.id), `the page of ${JSON.stringify(value)} has it`);
    }
  },
  'label: a list contains exactly the sessions with all of its labels': async (store) => {
    await addUsers(store);
    for (const [labels, ids, inner] of [
      [user('u-1'), ofOne, ['s08', 's06', 's04']],
      [ofWeb, ofBoth, ['s08', 's04']],
    ] as const) {
      const what = JSON.stringify(labels);
      await expectList(store, { labels }, ids, what);
      await expectWalks(store, { labels, ...between(0, 3) }, inner, `${what} between two times`);
      expectEqual((await pageOf(store, { labels }, 'globex')).total, 0, 'of another tenant');
    }
  },
  'label: a partial, misnamed or extra label finds nothing': async (store) => {
    await addUsers(store);
    const unknown = [
      user('u-3'),
      user('u'),
      { use: 'r=u-1' },
      { channel: 'u-1' },
      { User: 'u-1' },
      { ...ofWeb, lesson: 'any' },
      { user: 'web', channel: 'u-1' },
      { user: 'u-1', channel: 'we' },
    ];
    for (const label of unknown) {
      const page = await pageOf(store, { labels: label });
      expectEqual([page.records, page.total], [[], 0], JSON.stringify(label));
    }
  },
  'updated: lists the session first that was used, changed or ended last': async (store) => {
    await addUpdated(store);
    await begin(store, theirs);
    for (const [labels, rest] of [
      [mine, []],
      [undefined, ['other']],
    ] as const) {
      const range = { ...byUpdate, labels };
      const what = labels === undefined ? 'all' : 'with a label';
      for (const [now, ids] of [
        [undefined, stored],
        [NOON + 30, stored],
        [NOON + 60, after],
      ] as const)
        await expectWalks(store, { ...range, now }, [...ids, ...rest], `${what} at ${now}`);
      const { next } = await listed(store, { ...range, now: NOON + 60, limit: 2 });
      expectEqual(next, { id: 'due', at: atOf(40) }, `${what}: the place after the first page`);
      const some = ['used', 'paused', 'left', 'due'];
      await expectWalks(store, { ...range, ...between(0, 5) }, some, what);
    }
    expectEqual((await pageOf(store, byUpdate, 'nobody')).total, 0, 'another tenant');
  },
  'label: a list by label and status contains expired sessions as TERMINATED': async (store) => {
    await addUpdated(store);
    await expectAt(store, { labels: mine }, [
      [0, ['IDLE'], ['same', 'idle']],
      [0, ['PAUSED'], ['paused']],
      [0, ['TERMINATED'], ['over']],
      [0, ['ACTIVE'], ['left', 'due', 'used']],
      [30, ['ACTIVE'], ['left', 'due', 'used']],
      [31, ['ACTIVE'], ['due', 'used']],
      [39, ['ACTIVE'], ['due', 'used']],
      [40, ['ACTIVE'], ['used']],
      [40, ['TERMINATED'], ['over', 'left', 'due']],
    ]);
    const byLast = { ...byUpdate, labels: mine };
    await expectAt(store, byLast, [[60, ['TERMINATED'], ['due', 'left', 'over']]]);
  },
  'label: a search examines up to 10,000 sessions, and a list by one label any number': async (
    store,
    second,
  ) => {
    const addLast = await addMost(store, second, (at) =>
      live('IDLE', { labels: at < 2 ? { ...mine, rare: 'yes' } : mine }),
    );
    const labelled = { ...byUpdate, labels: mine, limit: 1 };
    expectEqual((await listed(store, labelled)).total, SEARCH_LIMIT, 'the total of as many');
    await addLast();
    const byStatus = { labels: mine, status: statusAt(0, 'IDLE') };
    for (const range of [labelled, byStatus, byUpdate])
      expectEqual(await limitIn(store, range), SEARCH_LIMIT, 'the limit in the error of one more');
    const { total } = await listed(store, { labels: mine, limit: 1 });
    expectEqual(total, SEARCH_LIMIT + 1, 'the total of one label alone');
    const rare = await listed(store, { labels: { ...mine, rare: 'yes' } });
    expectEqual([rare.ids, rare.total], [['s1', 's0'], 2], 'the sessions of a rare label');
    for (const range of [labelled, byUpdate]) {
      const later = await listed(store, { ...range, limit: 1, createdAfter: atOf(0) });
      expectEqual(later.total, SEARCH_LIMIT, 'the total of those of a shorter time');
    }
  },
};

export const searchesByStatus: Cases = {
  'updated: a list by statuses contains expired sessions as TERMINATED': async (store) => {
    await addUpdated(store);
    await expectAt(store, byUpdate, [
      [0, ['IDLE'], ['same', 'idle', 'other']],
      [0, ['ACTIVE', 'PAUSED'], ['used', 'paused', 'left', 'due']],
      [60, ['ACTIVE', 'PAUSED'], ['used', 'paused']],
      [60, ['TERMINATED'], ['due', 'left', 'over']],
      [60, ['IDLE', 'TERMINATED'], ['due', 'left', 'over', 'same', 'idle', 'other']],
    ]);
  },
  'updated: a list by statuses examines up to 10,000 sessions': async (store, second) => {
    const addLast = await addMost(store, second, () => live('IDLE'));
    await addLast();
    const ofStatus = (...anyOf: SessionStatus[]) => ({
      ...byUpdate,
      limit: 1,
      status: statusAt(0, ...anyOf),
    });
    expectEqual(await limitIn(store, ofStatus('IDLE')), SEARCH_LIMIT, 'the limit in the error');
    await put(store, keyOf('s7'), live('ACTIVE'));
    expectEqual((await listed(store, ofStatus('IDLE'))).total, SEARCH_LIMIT, 'as many');
    expectEqual((await listed(store, ofStatus('ACTIVE', 'PAUSED'))).total, 1, 'two statuses');
    const both = await limitIn(store, ofStatus('IDLE', 'ACTIVE'));
    expectEqual(both, SEARCH_LIMIT, 'the limit in the error of two statuses');
  },
};
