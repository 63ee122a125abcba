import { err, ok } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { storeUnavailable } from '../../src/session/errors.js';
import type { OpenStatus } from '../../src/session/session-status.js';
import { ada, createdIn, okOf, openSessions, startedIn } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';

const open = (store = new MemorySessionStore()) => {
  const bench = openSessions({ store });
  const idsOf = async (status: OpenStatus): Promise<readonly string[]> => {
    const ids: string[] = [];
    for await (const item of bench.sessions.unleased({ status })) ids.push(item._unsafeUnwrap().id);
    return ids;
  };
  return { ...bench, idsOf };
};

const worker = { holder: 'worker-1', seconds: 10 };

describe('unleased', () => {
  test('gives the sessions of a status that nobody holds, the longest waiting first', async () => {
    const { sessions, clock, idsOf } = open();
    const [first, second, third] = [await startedIn(sessions), await startedIn(sessions), await startedIn(sessions)];
    const idle = await createdIn(sessions);
    const leases = [await okOf(sessions.lease(first, worker)), await okOf(sessions.lease(second, worker))];
    expect([await idsOf('ACTIVE'), await idsOf('IDLE'), await idsOf('PAUSED')]).toEqual([[third], [idle], []]);
    clock.pass(5000);
    await okOf(sessions.release(second, { fencingToken: leases[1]?.fencingToken ?? 0 }));
    expect(await idsOf('ACTIVE')).toEqual([third, second]);
    clock.pass(5000);
    expect(await idsOf('ACTIVE')).toEqual([third, second, first]);
  });

  test('gives sessions without their histories, as they are now', async () => {
    const { sessions, clock } = open();
    const id = await startedIn(sessions, { timeLimit: 60 });
    await okOf(sessions.append(id, [{ role: 'user', content: 'hello' }]));
    clock.pass(3000);
    for await (const item of sessions.unleased({ status: 'ACTIVE' })) {
      const { history, ...session } = item._unsafeUnwrap();
      expect(session).toEqual({ ...(await okOf(sessions.get(id, { historyLimit: 0 }))), history: undefined });
      expect([history, session.historyCount, session.duration]).toEqual([[], 1, 3]);
    }
  });

  test('leaves out what the clock has ended, though no sweep has stored it', async () => {
    const { sessions, clock, idsOf } = open();
    await startedIn(sessions, { timeLimit: 5 });
    const id = await startedIn(sessions);
    clock.pass(5000);
    expect(await idsOf('ACTIVE')).toEqual([id]);
  });

  test('is a queue for workers: who takes each session meets all of them once, page after page', async () => {
    const { sessions, clock, idsOf } = open();
    const ids: string[] = [];
    for (let at = 0; at < 50; at += 1) ids.push(await startedIn(sessions));
    const taken: string[] = [];
    for await (const item of sessions.unleased({ status: 'ACTIVE' })) {
      const { id } = item._unsafeUnwrap();
      taken.push(id);
      await okOf(sessions.withLease(id, worker, () => undefined));
      clock.pass(1);
    }
    expect(taken.toSorted()).toEqual(ids.toSorted());
    expect(await idsOf('ACTIVE')).toEqual(taken);
  });

  test('reads no further than its consumer asks', async () => {
    const inner = new MemorySessionStore();
    const reads: number[] = [];
    const store = changed(inner, {
      unleased: (tenant, range) => {
        reads.push(range.limit);
        return inner.unleased(tenant, range);
      },
    });
    const { sessions } = openSessions({ store });
    for (let at = 0; at < 45; at += 1) await createdIn(sessions);
    const all = sessions.unleased({ status: 'IDLE' });
    expect(reads).toEqual([]);
    for await (const item of all) if (item.isOk()) break;
    expect(reads).toEqual([20]);
    let count = 0;
    for await (const item of sessions.unleased({ status: 'IDLE' })) count += item.isOk() ? 1 : 0;
    expect([count, reads]).toEqual([45, [20, 20, 20, 20]]);
  });

  test("gives no other tenant's sessions", async () => {
    const { sessions } = open();
    await okOf(sessions.forTenant('globex').create(ada));
    for await (const item of sessions.unleased({ status: 'IDLE' })) expect.unreachable(JSON.stringify(item));
  });

  test('names a session that cannot be read, and goes on', async () => {
    const inner = new MemorySessionStore();
    const { sessions: driver } = openSessions({ store: inner });
    const id = await createdIn(driver);
    const store = changed(inner, {
      unleased: (...args) => inner.unleased(...args).map((page) => ({ ...page, unreadable: ['s9'] })),
    });
    const items: unknown[] = [];
    for await (const item of openSessions({ store }).sessions.unleased({ status: 'IDLE' })) items.push(item);
    expect(items).toMatchObject([ok({ id }), err({ type: 'corrupt_record', id: 's9' })]);
  });

  test('ends if the store returns the same place again', async () => {
    const inner = new MemorySessionStore();
    const { sessions: driver } = openSessions({ store: inner });
    const id = await createdIn(driver);
    const store = changed(inner, {
      unleased: (tenant, { after: _, ...range }) =>
        inner.unleased(tenant, range).map((page) => ({ ...page, next: { since: 1, id } })),
    });
    const ids: unknown[] = [];
    for await (const item of openSessions({ store }).sessions.unleased({ status: 'IDLE' })) {
      ids.push(item._unsafeUnwrap().id);
      if (ids.length > 5) break;
    }
    expect(ids).toEqual([id, id]);
  });

  test.each([
    ['no query', undefined],
    ['no status', {}],
    ['the status of an end', { status: 'TERMINATED' }],
    ['another name', { status: 'ACTIVE', limit: 5 }],
  ])('with %s has one item, invalid_input', async (_, query) => {
    const items: unknown[] = [];
    const asked: AsyncIterable<unknown> = Reflect.apply(open().sessions.unleased, open().sessions, [query]);
    for await (const item of asked) items.push(item);
    expect(items).toMatchObject([err({ type: 'invalid_input' })]);
  });

  test('ends with the error of the store, or with misconfigured where the store has no such method', async () => {
    const away = storeUnavailable('it is away', 'not_applied');
    const inner = new MemorySessionStore();
    const { unleased: _, ...without } = changed(inner, {});
    for (const [store, error] of [
      [changed(inner, { unleased: () => err(away) }), away],
      [without, { type: 'misconfigured' }],
    ] as const) {
      const items: unknown[] = [];
      for await (const item of openSessions({ store }).sessions.unleased({ status: 'IDLE' })) items.push(item);
      expect(items).toMatchObject([err(error)]);
    }
  });
});
