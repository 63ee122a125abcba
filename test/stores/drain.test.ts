import { EventEmitter, once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { SessionService } from '../../src/index.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { describeDatabases } from '../support/databases.js';
import { ada, errorOf, okOf } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';

/** More operations than complete in one turn of the event loop. */
const MANY = 200;

/** Turns of the event loop in which an idle store would have drained. */
const TURNS = 10;

/** Pauses an operation after it has read a state, while no store call is pending. */
const holdAfterRead = (inner: SessionStore) => {
  const reads = new EventEmitter();
  const findState: SessionStore['findState'] = async (key) => {
    const found = await inner.findState(key);
    const goesOn = once(reads, 'go on');
    reads.emit('held');
    await goesOn;
    return found;
  };
  const drain = async () => inner.drain?.();
  return { store: changed(inner, { findState, drain }), reads };
};

describeDatabases('drain', (kind) => {
  test('settles for a store when no pending update needs the database', async () => {
    const database = await kind.create();
    const store = database.open();
    const sessions = new SessionService({ store });
    const ids: string[] = [];
    for (let count = 0; count < 50; count += 1) ids.push((await okOf(sessions.create(ada))).id);
    const updates = ids.map((id) => sessions.update(id, { labels: { user: 'u-1' } }));
    await store.drain?.();
    await database.close();
    for (const update of updates) await okOf(update);
  });

  test("waits for a service's operation between two store calls", async () => {
    const database = await kind.create();
    const { store, reads } = holdAfterRead(database.open());
    const { id } = await okOf(new SessionService({ store }).create(ada));
    const sessions = new SessionService({ store });
    const held = once(reads, 'held');
    const updated = sessions.update(id, { labels: { user: 'u-1' } });
    let isDrained = false;
    const drained = sessions.drain().andTee(() => {
      isDrained = true;
    });
    await held;
    for (let turn = 0; turn < TURNS; turn += 1) await nextTurn();
    expect(isDrained).toBe(false);
    reads.emit('go on');
    await okOf(drained);
    await database.close();
    await okOf(updated);
  });

  test("waits for a service's operations that follow others", async () => {
    const database = await kind.create();
    const sessions = new SessionService({ store: database.open() });
    const chains = Array.from({ length: MANY }, async () => {
      const { id } = await okOf(sessions.create({ ...ada, start: true }));
      await okOf(sessions.forTenant('default').append(id, [{ role: 'user', content: 'Hello' }]));
      return okOf(sessions.terminate(id));
    });
    await sessions.drain();
    await database.close();
    const ended = await Promise.all(chains);
    expect(ended.every(({ status }) => status === 'TERMINATED')).toBe(true);
  });
});

test('drain() of a memory store settles', async () => {
  expect(await new MemorySessionStore().drain()).toBeUndefined();
});

test('drain() of a service works if its store has no drain()', async () => {
  const store = changed(new MemorySessionStore(), {});
  await okOf(new SessionService({ store }).drain());
  expect(await new SessionService({ store }).orThrow.drain()).toBeUndefined();
});

test('drain() of a service rejects as its store does', async () => {
  const cause = new Error('gone');
  const store = new MemorySessionStore();
  vi.spyOn(store, 'drain').mockRejectedValueOnce(cause);
  const error = await errorOf(new SessionService({ store }).drain());
  expect(error).toMatchObject({ type: 'store_unavailable', outcome: 'not_applied', cause });
});
