import assert from 'node:assert';
import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { createSweeper } from '../../src/index.js';
import { CountedLog } from '../http/counted-log.js';
import { createdIn, errorOf, okOf, openSessions, startedIn } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';

const open = () => {
  const store = new MemorySessionStore({ events: true });
  const log = new CountedLog(store.events);
  return { log, ...openSessions({ store: changed(store, { events: log }) }) };
};

describe('await using', () => {
  test('releases a lease at the end of the block, even if the block throws', async () => {
    const { sessions } = open();
    const id = await startedIn(sessions);
    const work = async (holder: string): Promise<void> => {
      await using lease = await okOf(sessions.lease(id, { holder, seconds: 60 }));
      expect(await okOf(sessions.get(id))).toMatchObject({
        lease: { fencingToken: lease.fencingToken },
      });
      if (holder === 'clumsy') throw new Error('the work failed');
    };
    await work('first');
    expect(await okOf(sessions.get(id))).not.toHaveProperty('lease');
    await expect(work('clumsy')).rejects.toThrow('the work failed');
    await work('second');
  });

  test('keeps the lease of a later holder', async () => {
    const { sessions, clock } = open();
    const id = await startedIn(sessions);
    {
      await using _lost = await okOf(sessions.lease(id, { holder: 'first', seconds: 1 }));
      clock.pass(1000);
      await okOf(sessions.lease(id, { holder: 'second', seconds: 60 }));
    }
    expect(await okOf(sessions.get(id))).toMatchObject({ lease: { holder: 'second' } });
  });

  test('accepts that the leased session was deleted', async () => {
    const { sessions } = open();
    const id = await startedIn(sessions);
    {
      await using _lease = await okOf(sessions.lease(id, { holder: 'first', seconds: 60 }));
      await okOf(sessions.delete(id));
    }
    expect(await errorOf(sessions.get(id))).toMatchObject({ type: 'not_found' });
  });

  test("releases a tenant's lease in that tenant", async () => {
    const acme = open().sessions.forTenant('acme');
    const id = await startedIn(acme);
    {
      await using _lease = await okOf(acme.lease(id, { holder: 'first', seconds: 60 }));
    }
    expect(await okOf(acme.get(id))).not.toHaveProperty('lease');
  });

  test('stops a sweeper, and waits for its current sweep', async () => {
    const { sessions, clock } = openSessions({ reportEnds: true });
    await startedIn(sessions, { timeLimit: 1 });
    clock.pass(1000);
    const done: string[] = [];
    {
      await using sweeper = createSweeper(sessions, {
        onEnded: async () => {
          await Promise.resolve();
          done.push('reported');
        },
      });
      sweeper.start();
    }
    done.push('disposed');
    expect(done).toEqual(['reported', 'disposed']);
    expect(clock.waiting).toBe(0);
  });

  test.for(['watch', 'watchAll'] as const)('ends %s, and leaves nothing behind', async (method) => {
    const { sessions, log } = open();
    const id = await createdIn(sessions);
    const watched = () =>
      method === 'watch' ? sessions.watch(id) : sessions.watchAll({ cursor: '0' });
    {
      await using watch = watched();
      for await (const item of watch) {
        expect(item.isOk()).toBe(true);
        break;
      }
    }
    {
      await using _unused = watched();
    }
    await log.listeners(0);
  });

  test.for(['watch', 'watchAll'] as const)(
    'ends a loop over %s that waits for its next item',
    async (method) => {
      const { sessions, log } = open();
      const id = await createdIn(sessions);
      const follow = async (watch: AsyncIterable<unknown>): Promise<number> => {
        let items = 0;
        for await (const _item of watch) items += 1;
        return items;
      };
      let following: Promise<number>;
      {
        await using watch =
          method === 'watch' ? sessions.watch(id) : sessions.watchAll({ cursor: '0' });
        following = follow(watch);
        await log.listeners(1);
        await okOf(sessions.start(id));
      }
      expect(await following).toBeGreaterThan(-1);
      await log.listeners(0);
    },
  );
});

test('a disposable lease equals, copies and serialises as a plain object', async () => {
  const { sessions } = open();
  const id = await startedIn(sessions);
  const lease = await okOf(sessions.lease(id, { holder: 'first', seconds: 60 }));
  const plain = {
    holder: 'first',
    fencingToken: lease.fencingToken,
    until: '2026-01-31T12:01:00.000Z',
  };
  expect(lease).toStrictEqual(plain);
  assert.deepStrictEqual(lease, plain);
  expect(structuredClone(lease)).toStrictEqual(plain);
  expect(JSON.parse(JSON.stringify(lease))).toStrictEqual(plain);
  expect(Reflect.ownKeys({ ...lease })).toEqual(['holder', 'fencingToken', 'until']);
});
