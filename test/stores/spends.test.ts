import { test } from 'vitest';
import type { BudgetRecord, StateRecord } from '../../src/session/session-record.js';
import type { Guards, Spend, UseChange } from '../../src/store/commit.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { answerOf, expectEqual } from '../../src/testing/answers.js';
import {
  appendOf,
  begin,
  change,
  expectDue,
  FAR,
  key,
  MADE,
  made,
  put,
  refused,
  spendOf as spendChange,
  tryBegin,
  waiting,
} from '../../src/testing/commits.js';
import {
  ended,
  keyOf,
  live,
  NOON,
  noTerms,
  operationOf,
  TENANT,
} from '../../src/testing/samples.js';
import type { Cases } from '../../src/testing/store-case.js';
import { describeStores } from '../support/describe-stores.js';

const budgetOf = (tokens: number, limit = 10): BudgetRecord => ({
  used: { calls: 0, tokens },
  limits: { calls: 5, tokens: limit },
  last: '',
});

const spend = (usage: Spend['usage'], revision: number, others: Partial<Spend> = {}): Spend => ({
  ...{ usage, free: [], at: NOON, revision },
  ...others,
});

const spendOf = (spent: Spend, guards?: Guards, of = key): UseChange =>
  spendChange(of, spent, guards);

/** A spend with an operation id, which becomes the latest one. */
const named = (id: string, tokens: number, revision: number, digest?: string): UseChange => {
  const operation = operationOf(id, digest);
  const last = `${id}:${operation.digest}`;
  return spendOf(spend({ tokens }, revision, { last }), { operation });
};

const stateOf = (store: SessionStore) => answerOf(store.findState(key));

const misleading = '{"status":"IDLE","budget":{"used":{"tokens":7},"limits":{},"last":""},';

/** Neighbours of a budget that look like one. */
const around = {
  operations: [`pause:${misleading}`],
  metadata: { budget: { used: { tokens: 7 } }, text: misleading },
  labels: { a: misleading, budget: '"used":{' },
};

const states: readonly StateRecord[] = [
  live('IDLE', around),
  live('ACTIVE', { ...around, deadline: NOON + 9, work: { wakeAt: NOON } }),
  live('PAUSED', around),
  ended('failed', around),
];

const reached: readonly StateRecord[] = [
  live('IDLE'),
  live('ACTIVE', { deadline: NOON + 9, work: { wakeAt: NOON } }),
  live('ACTIVE', { terms: { ...noTerms, inactivityTimeoutMs: 20 } }),
  live('PAUSED'),
];

const isLive = ({ status }: StateRecord): boolean => status === 'ACTIVE' || status === 'PAUSED';

const spends: Cases = {
  'adds to the sums of any state, alone or with entries, under another revision': async (
    store,
    second,
  ) => {
    for (const [at, before] of states.entries()) {
      const of = keyOf(`s${at}`);
      const state = { ...before, budget: budgetOf(1) };
      await begin(store, of, { state });
      expectEqual(await change(store, spendOf(spend({ tokens: 2 }, 7), {}, of)), MADE, 'alone');
      const both = spend({ calls: 1, tokens: 3 }, 8);
      await made(store, appendOf(of, ['x'], {}, { spend: both, activity: NOON + 1 }));
      const budget = { ...budgetOf(6), used: { calls: 1, tokens: 6 } };
      const expected = { ...state, budget, revision: 8, lastActivityAt: NOON + 1 };
      const { state: found, historyCount } = (await answerOf(second.find(of))) ?? {};
      expectEqual([found, historyCount], [expected, 1], before.status);
    }
  },
  'of free counters begins a budget without limits, and stays in later states': async (store) => {
    const names = ['10', '9', 'Z', '__proto__', 'a.b-c', 'constructor'];
    const usage = Object.fromEntries(names.map((name, at) => [name, at]));
    const state = live('ACTIVE', around);
    await begin(store, key, { state });
    for (const revision of [2, 3])
      await made(store, spendOf(spend(usage, revision, { free: names })));
    const used = Object.fromEntries(names.map((name, at) => [name, 2 * at]));
    const expected = { ...state, budget: { used, limits: {}, last: '' }, revision: 3 };
    expectEqual(await stateOf(store), expected, 'the state');
    await put(store, key, { ...expected, revision: 4 });
    const answer = await change(store, spendOf(spend({ a: 1 }, 5, { free: ['A', 'a.b-c'] })));
    expectEqual(answer, refused('counters', { state: { ...expected, revision: 4 } }), 'another');
    await made(store, spendOf(spend({ Z: 2 ** 53 - 5 }, 5, { free: [] })));
    expectEqual((await stateOf(store))?.budget?.used['Z'], 2 ** 53 - 1, 'the largest sum');
  },
  'ends a session that is live once a sum reaches its limit, in both queues': async (
    store,
    second,
  ) => {
    for (const [at, before] of reached.entries()) {
      const state = { ...before, revision: 4 * at + 1, budget: budgetOf(8) };
      if (at === 0) await begin(store, key, { state });
      else await put(store, key, state);
      await made(store, spendOf(spend({ tokens: 1 }, state.revision + 1)));
      expectEqual((await stateOf(store))?.budget, budgetOf(9), 'below its limit');
      const last = spend({ tokens: 9 }, state.revision + 2);
      await made(store, appendOf(key, ['x'], {}, { spend: last, activity: undefined }));
      const budget = { ...budgetOf(18), reachedAt: NOON };
      const expected = { ...state, budget, revision: last.revision };
      expectEqual(await stateOf(second), expected, `the end of ${before.status}`);
      await expectDue(second, key, 0, before.status);
      expectEqual(await waiting(second, FAR), 0, 'waiting after the end');
      const range = { tenant: TENANT, now: FAR, until: FAR, limit: 1 };
      expectEqual((await answerOf(store.take(range))).sessions, [], 'what a take finds');
      for (const guards of [{ open: NOON }, { open: 0 }])
        expectEqual(
          await change(store, appendOf(key, ['y'], guards)),
          refused('open', { state: expected }),
          'a change of an open session',
        );
      const later = spend({ tokens: 1 }, state.revision + 3, { at: NOON + 5 });
      await made(store, spendOf(later, { over: NOON }));
      expectEqual((await stateOf(store))?.budget?.reachedAt, NOON, 'the first end stays');
    }
  },
  'leaves the end of a session that has ended before': async (store) => {
    const terms = { ...noTerms, inactivityTimeoutMs: 20 };
    const over = [
      live('ACTIVE', { deadline: NOON + 5 }),
      live('ACTIVE', { terms }),
      live('IDLE', { deadline: NOON + 5 }),
      ended('failed', { deadline: NOON + 5 }),
    ];
    for (const [at, before] of over.entries()) {
      const of = keyOf(`s${at}`);
      await begin(store, of, { state: { ...before, budget: budgetOf(1) } });
      await made(store, spendOf(spend({ tokens: 99 }, 2, { at: NOON + 20 }), {}, of));
      const found = await answerOf(store.findState(of));
      expectEqual(found, { ...before, budget: budgetOf(100), revision: 2 }, before.status);
    }
  },
  'is recognised by its operation, alone and with entries, whatever came later': async (
    store,
    second,
  ) => {
    await begin(store, key, { state: live('ACTIVE', { budget: budgetOf(0, 1000) }) });
    expectEqual(await change(store, named('a', 1, 2)), MADE, 'the first');
    const repeated = { outcome: 'repeated', position: 0 };
    const expectKnown = async (what: string): Promise<void> => {
      expectEqual(await change(second, named('a', 1, 99)), repeated, what);
      const other = await change(second, named('a', 1, 99, 'another-content-'));
      expectEqual(other, refused('operation'), `another content ${what}`);
    };
    await expectKnown('immediately');
    await made(store, named('b', 10, 3));
    await expectKnown('after another');
    const operation = operationOf('entry');
    const both = () => appendOf(key, ['x'], { operation }, { spend: spend({ tokens: 100 }, 4) });
    const position = await made(store, both());
    expectEqual(await change(second, both()), { outcome: 'repeated', position }, 'with entries');
    const before = await stateOf(store);
    if (before === undefined) throw new Error('there is no session');
    await put(store, key, { ...before, status: 'PAUSED', revision: 5 } as StateRecord);
    await expectKnown('after a put');
    expectEqual(await change(second, named('b', 10, 99)), repeated, 'the latest');
    const full = await change(store, named('c', 2 ** 53 - 1, 6));
    expectEqual(full.outcome, 'refused', 'a sum that is too large');
    await made(store, named('c', 1, 6, 'another-content-'));
    expectEqual((await stateOf(store))?.budget?.used['tokens'], 112, 'the sum');
  },
};

const spendsAndStatuses: Cases = {
  'moves a session that it ends in lists by status, and frees its place': async (store) => {
    for (const [at, before] of reached.entries()) {
      const of = keyOf(`s${at}`, `tenant${at}`);
      await begin(store, of, { state: { ...before, budget: budgetOf(9) } });
      const guards = { live: { sessions: 1, now: NOON } };
      const other = keyOf('other', of.tenant);
      if (isLive(before))
        expectEqual(await tryBegin(store, other, { guards }), refused('live'), 'a full tenant');
      await made(store, spendOf(spend({ tokens: 1 }, 2), {}, of));
      for (const [status, ids] of [
        [before.status, []],
        ['TERMINATED', [of.id]],
      ] as const) {
        const range = { offset: 0, limit: 9, status: { anyOf: [status], now: NOON } };
        const { records, total } = await answerOf(store.page(of.tenant, range));
        const found = records.map(({ head }) => head.id);
        expectEqual([found, total], [ids, ids.length], `${status} after ${before.status}`);
      }
      expectEqual(await tryBegin(store, other, { guards }), { outcome: 'made' }, 'the place');
    }
  },
};

describeStores('a spend', (openStore) => {
  for (const [name, run] of Object.entries({ ...spends, ...spendsAndStatuses }))
    test(name, async () => {
      const store = await openStore();
      await run(store, store, 0);
    });
});
