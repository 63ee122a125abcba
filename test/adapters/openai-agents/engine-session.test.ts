import { type AgentInputItem, MemorySession, type Session } from '@openai/agents';
import fc from 'fast-check';
import { err } from 'neverthrow';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { MemorySessionStore } from '../../../adapters/memory/index.js';
import { EngineSession } from '../../../adapters/openai-agents/index.js';
import { storeUnavailable } from '../../../src/session/errors.js';
import { afterEachRead } from '../../support/after-each-read.js';
import { moreIfLong } from '../../support/continuous-integration.js';
import { describeStores } from '../../support/describe-stores.js';
import { ada, okOf } from '../../support/sessions.js';
import { changed } from '../../support/store-doubles.js';
import { assistant, call, openSession, user } from './items.js';

const item: fc.Arbitrary<AgentInputItem> = fc.oneof(
  fc.string({ unit: 'binary' }).map(user),
  fc.string().map(assistant),
  fc.array(fc.string({ unit: 'binary' })).map(
    (texts): AgentInputItem => ({
      type: 'message',
      role: 'user',
      content: texts.flatMap((text) => [
        { type: 'input_text', text },
        { type: 'input_image', image: 'https://example.com/sky.png' },
      ]),
    }),
  ),
  fc
    .record({ callId: fc.string(), a: fc.double({ noNaN: true, noDefaultInfinity: true }) })
    .map(({ callId, a }) => call(callId, { a })),
);
const items = fc.array(item, { maxLength: 5 });

const operation = fc.oneof(
  { weight: 4, arbitrary: fc.record({ name: fc.constant('add' as const), items }) },
  { weight: 4, arbitrary: fc.record({ name: fc.constant('pop' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      name: fc.constant('get' as const),
      limit: fc.integer({ min: -1, max: 8 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ name: fc.constant('clear' as const) }) },
  { weight: 2, arbitrary: fc.record({ name: fc.constant('append_items' as const), items }) },
  {
    weight: 2,
    arbitrary: fc.record({
      name: fc.constant('replace_suffix' as const),
      items,
      of: fc.nat({ max: 3 }),
    }),
  },
);

describeStores('the OpenAI Agents SDK session', (open) => {
  test("returns what the SDK's own in-memory session returns, for any calls", async () => {
    const store = await open();
    let operations = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 20 }), async (given) => {
        const { session: ours } = await openSession(store);
        const theirs = new MemorySession();
        for (const each of given) {
          if (each.name === 'add')
            for (const session of [ours, theirs]) await session.addItems([...each.items]);
          if (each.name === 'pop') expect(await ours.popItem()).toEqual(await theirs.popItem());
          if (each.name === 'get')
            expect(await ours.getItems(each.limit)).toEqual(await theirs.getItems(each.limit));
          if (each.name === 'clear')
            for (const session of [ours, theirs]) await session.clearSession();
          if (each.name !== 'append_items' && each.name !== 'replace_suffix') continue;
          operations += 1;
          const transaction =
            each.name === 'append_items'
              ? { type: each.name, items: each.items }
              : {
                  type: each.name,
                  expectedSuffix: await theirs.getItems(each.of),
                  replacement: each.items,
                };
          // Sent twice, as after a lost answer.
          for (const session of [ours, ours, theirs]) {
            await session.applyHistoryTransaction({
              operationId: `run:${operations}`,
              transaction,
            });
          }
        }
        expect(await ours.getItems()).toEqual(await theirs.getItems());
      }),
      { numRuns: moreIfLong(6, 150) },
    );
  });

  test('pops each item once, however many workers pop concurrently', async () => {
    const { sessions, id, session } = await openSession(await open());
    const all = Array.from({ length: 20 }, (_, index) => user(`item ${index}`));
    await session.addItems(all);
    const popped = await Promise.all(
      all.map(() => new EngineSession<AgentInputItem>(sessions, id).popItem()),
    );
    const inOrder = (some: readonly unknown[]) =>
      some.map((each) => JSON.stringify(each)).toSorted();
    expect(inOrder(popped)).toEqual(inOrder(all));
    expect(await session.popItem()).toBeUndefined();
  });

  test('returns 2,500 items in order or only the latest, and pops them', async () => {
    const { session } = await openSession(await open());
    const all = Array.from({ length: 2500 }, (_, index) => user(`item ${index}`));
    for (const from of [0, 1000, 2000]) await session.addItems(all.slice(from, from + 1000));
    expect(await session.getItems()).toEqual(all);
    expect(await session.getItems(1500)).toEqual(all.slice(1000));
    expect(await session.getItems(3)).toEqual(all.slice(-3));
    expect(await session.popItem()).toEqual(all.at(-1));
    await session.replaceHistoryWithCompaction([assistant('a summary')]);
    expect(await session.getItems()).toEqual([assistant('a summary')]);
    await session.clearSession();
    expect(await session.getItems()).toEqual([]);
  });

  test('returns the items of a shorter session that replaces the first while it is read', async () => {
    const { sessions, id, session } = await openSession(await open());
    const many = Array.from({ length: 1000 }, (_, index) => user(`item ${index}`));
    for (const items of [many, many]) await session.addItems(items);
    const replacements = [
      async () => {
        await okOf(sessions.delete(id));
        await okOf(sessions.create({ ...ada, id, start: true }));
        await session.addItems([user('new')]);
      },
    ];
    const slow = afterEachRead(sessions, async () => replacements.pop()?.());
    const replaced = new EngineSession<AgentInputItem>(slow, id);
    expect(await replaced.getItems()).toEqual([user('new')]);
  });

  test('keeps items that others added since it read the history', async () => {
    const { sessions, id, session } = await openSession(await open());
    await session.addItems([user('question')]);
    await session.getItems();
    await session.addItems([assistant('answer')]);
    const other = new EngineSession<AgentInputItem>(sessions, id);
    await other.addItems([user('of another')]);
    const moved = { type: 'history_moved' };
    await expect(
      session.replaceHistoryWithCompaction([assistant('a summary')]),
    ).rejects.toMatchObject(moved);
    await expect(session.clearSession()).rejects.toMatchObject(moved);
    await session.addItems([assistant('more')]);
    await expect(session.clearSession()).rejects.toMatchObject(moved);
    const all = await session.getItems();
    expect(all).toEqual([
      user('question'),
      assistant('answer'),
      user('of another'),
      assistant('more'),
    ]);
    await session.addItems([user('last')]);
    await session.replaceHistoryWithCompaction([assistant('a summary')]);
    expect(await other.getItems()).toEqual([assistant('a summary')]);
  });

  test('replaces a suffix once, even if the transaction is repeated after later items', async () => {
    const { session } = await openSession(await open());
    await session.addItems([user('start'), assistant('blocked')]);
    const args = {
      operationId: 'a very long name of an operation: '.repeat(10),
      transaction: {
        type: 'replace_suffix' as const,
        expectedSuffix: [assistant('blocked')],
        replacement: [assistant('accepted')],
      },
    };
    await session.applyHistoryTransaction(args);
    await session.addItems([user('later')]);
    await session.applyHistoryTransaction(args);
    expect(await session.getItems()).toEqual([user('start'), assistant('accepted'), user('later')]);
    await session.clearSession();
    await expect(session.applyHistoryTransaction(args)).rejects.toThrow('suffix no longer matches');
    expect(await session.getItems()).toEqual([]);
  });

  test("stores a transaction again if its id was used before the session was cleared, like the SDK's session", async () => {
    const { session: ours } = await openSession(await open());
    const theirs = new MemorySession();
    for (const session of [ours, theirs]) {
      const append = async () => {
        const transaction = { type: 'append_items' as const, items: [user('first')] };
        await session.applyHistoryTransaction({ operationId: 'turn-1', transaction });
      };
      for (let round = 0; round < 3; round += 1) {
        await append();
        await append();
        expect(await session.getItems()).toEqual([user('first')]);
        await session.clearSession();
      }
    }
  });

  test('rejects a suffix that does not match, and forgets the id of a rejected transaction', async () => {
    const { session } = await openSession(await open());
    await session.addItems([user('start')]);
    const replace = (expected: string) =>
      session.applyHistoryTransaction({
        operationId: 'turn-1',
        transaction: {
          type: 'replace_suffix',
          expectedSuffix: [user(expected)],
          replacement: [user('new')],
        },
      });
    await expect(replace('another')).rejects.toThrow('suffix no longer matches');
    expect(await session.getItems()).toEqual([user('start')]);
    await replace('start');
    expect(await session.getItems()).toEqual([user('new')]);
  });

  test('rejects a transaction id that was used for different items, or without items', async () => {
    const { session } = await openSession(await open());
    const append = (operationId: string, items: AgentInputItem[]) =>
      session.applyHistoryTransaction({
        operationId,
        transaction: { type: 'append_items', items },
      });
    await append('full', [user('first')]);
    await append('empty', []);
    for (const name of ['full', 'empty']) {
      await expect(append(name, [user('second')])).rejects.toThrow(
        'already applied with a different transaction',
      );
    }
    expect(await session.getItems()).toEqual([user('first')]);
  });

  test('lets exactly one of several workers replace the same suffix, and rejects the others', async () => {
    const { sessions, id, session } = await openSession(await open());
    await session.addItems([user('start'), assistant('draft')]);
    const replace = (worker: number) =>
      new EngineSession<AgentInputItem>(sessions, id).applyHistoryTransaction({
        operationId: `worker-${worker}`,
        transaction: {
          type: 'replace_suffix',
          expectedSuffix: [assistant('draft')],
          replacement: [assistant(`by ${worker}`)],
        },
      });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, (_, worker) => replace(worker)),
    );
    const winners = outcomes.flatMap(({ status }, worker) =>
      status === 'fulfilled' ? [worker] : [],
    );
    expect(await session.getItems()).toEqual([
      user('start'),
      ...winners.map((worker) => assistant(`by ${worker}`)),
    ]);
    expect(winners).toHaveLength(1);
  });
});

describe('the OpenAI Agents SDK session', () => {
  test("satisfies the SDK's Session type", () => {
    expectTypeOf<EngineSession<AgentInputItem>>().toExtend<Session>();
    expectTypeOf<EngineSession<AgentInputItem>['applyHistoryTransaction']>().toExtend<
      MemorySession['applyHistoryTransaction']
    >();
  });

  test('applies a call once that it repeated after a lost reply', async () => {
    const inner = new MemorySessionStore();
    let calls = 0;
    const store = changed(inner, {
      use: (commit) => {
        const answer = inner.change(commit);
        calls += 1;
        return calls % 2 === 1 ? err(storeUnavailable('the answer was lost', 'unknown')) : answer;
      },
    });
    const { session } = await openSession(store);
    await session.addItems([user('one'), user('two')]);
    expect(await session.popItem()).toEqual(user('two'));
    const transaction = {
      type: 'replace_suffix' as const,
      expectedSuffix: [user('one')],
      replacement: [user('1')],
    };
    await session.applyHistoryTransaction({ operationId: 'turn', transaction });
    expect(await session.getItems()).toEqual([user('1')]);
  });

  test('applies a transaction as it was when it was passed', async () => {
    const { session } = await openSession(new MemorySessionStore());
    const first = { type: 'message' as const, role: 'user' as const, content: 'first' };
    const applied = session.applyHistoryTransaction({
      operationId: 'turn',
      transaction: { type: 'append_items', items: [first] },
    });
    first.content = 'changed';
    await applied;
    const changed = {
      type: 'replace_suffix' as const,
      expectedSuffix: [user('first')],
      replacement: [first],
    };
    const replaced = session.applyHistoryTransaction({ operationId: 'next', transaction: changed });
    first.content = 'changed again';
    await replaced;
    expect(await session.getItems()).toEqual([user('changed')]);
  });

  test('rejects items that the engine refuses or that are not JSON, and changes nothing', async () => {
    const { sessions, id, session } = await openSession(new MemorySessionStore());
    const withData = (providerData: Record<string, unknown>): AgentInputItem => ({
      ...user('x'),
      providerData,
    });
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    for (const data of [{ at: new Date(0) }, cycle, { big: 1n }, { bytes: new Uint16Array(1) }]) {
      await expect(session.addItems([user('x'), withData(data)])).rejects.toThrow(
        /invalid_input: items\[1\] (must|cannot)/,
      );
    }
    expect(await session.getItems()).toEqual([]);
    await okOf(sessions.terminate(id));
    await expect(session.addItems([user('too late')])).rejects.toThrow('invalid_transition');
    expect(await session.getSessionId()).toBe(id);
  });

  test.each([
    [
      { operationId: '   ', transaction: { type: 'append_items', items: [] } },
      'operationId must not be empty',
    ],
    [{ operationId: 'x', transaction: null }, 'transaction must be an object'],
    [
      { operationId: 'x', transaction: { type: 'unknown' } },
      'transaction.type must be one of append_items, replace_suffix',
    ],
    [
      { operationId: 'x', transaction: { type: 'append_items' } },
      'transaction.items must be an array',
    ],
    [
      { operationId: 'x', transaction: { type: 'append_items', items: [], more: 1 } },
      'transaction.more is unknown',
    ],
    [
      { operationId: 'x', transaction: { type: 'append_items', items: [42] } },
      'transaction.items[0] must be an object',
    ],
    [
      { operationId: 'x', transaction: { type: 'replace_suffix', expectedSuffix: [] } },
      'transaction.replacement must be an array',
    ],
  ])('rejects the transaction %j', async (args, message) => {
    const { session } = await openSession(new MemorySessionStore());
    const rejected = Reflect.apply(session.applyHistoryTransaction, session, [args]);
    await expect(rejected).rejects.toThrow(message);
    expect(await session.getItems()).toEqual([]);
  });
});
