import type { ResultAsync } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { SessionError } from '../../src/session/errors.js';
import { LAST_WORDS_MS } from '../../src/session/turn-state.js';
import { ada, errorOf, okOf, openSessions } from '../support/sessions.js';

const worker = { holder: 'worker-1', seconds: 10 };

const open = async () => {
  const bench = openSessions({ store: new MemorySessionStore({ events: true }) });
  const { sessions } = bench;
  const { id } = await okOf(sessions.create({ ...ada, start: true, wake: true }));
  const [claimed] = (await okOf(sessions.claim(worker))).claimed;
  return { ...bench, id, fencingToken: claimed?.lease.fencingToken ?? 0 };
};

describe('cancel', () => {
  test('ends the lease of a worker, whose calls then fail with cancelled and the reason', async () => {
    const { sessions, clock, id, fencingToken } = await open();
    await okOf(sessions.cancel(id, { reason: 'The user has stopped it.' }));
    const refusal = { type: 'cancelled', reason: 'The user has stopped it.', fencingToken };
    const entry = { role: 'assistant', content: 'late' };
    const calls: readonly ResultAsync<unknown, SessionError>[] = [
      sessions.append(id, [entry], { fencingToken }),
      sessions.rewind(id, { to: 0, ifPosition: 0, fencingToken }),
      sessions.pause(id, { fencingToken }),
      sessions.update(id, { labels: { user: 'u-1' } }, { fencingToken }),
      sessions.renew(id, { fencingToken, seconds: 10 }),
      sessions.take(id, { fencingToken }),
    ];
    for (const call of calls) expect(await errorOf(call)).toMatchObject(refusal);
    clock.pass(LAST_WORDS_MS);
    expect(await errorOf(sessions.release(id, { fencingToken, done: true }))).toMatchObject(
      refusal,
    );
    expect(await okOf(sessions.get(id))).toMatchObject({ status: 'ACTIVE', history: [] });
  });

  test('lets the session wait for no worker until it is woken', async () => {
    const { sessions, clock, id } = await open();
    await okOf(sessions.wake(id));
    await okOf(sessions.cancel(id));
    clock.pass(LAST_WORDS_MS);
    const session = await okOf(sessions.get(id));
    expect([session.lease, session.work]).toEqual([undefined, undefined]);
    expect((await okOf(sessions.claim(worker))).claimed).toEqual([]);
    await okOf(sessions.wake(id));
    expect((await okOf(sessions.claim(worker))).claimed).toMatchObject([
      { session: { id }, attempt: 1 },
    ]);
  });

  test('aborts the signal of a lease at its next renewal, and is the result of withLease', async () => {
    const { sessions, clock, id } = await open();
    await okOf(sessions.cancel(id));
    clock.pass(LAST_WORDS_MS);
    const result = sessions.withLease(id, worker, async ({ signal }) => {
      await okOf(sessions.cancel(id, { reason: 'enough' }));
      const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
      clock.pass(3334);
      await aborted;
      throw signal.reason;
    });
    expect(await errorOf(result)).toMatchObject({ type: 'cancelled', reason: 'enough' });
  });

  test('publishes one event of the session', async () => {
    const { sessions, id } = await open();
    const signal = AbortSignal.timeout(10_000);
    const types: string[] = [];
    const watch = (async () => {
      for await (const { type } of sessions.orThrow.watchAll({ leases: true, signal })) {
        types.push(type);
        if (type === 'session.deleted') return;
      }
    })();
    await okOf(sessions.cancel(id));
    await okOf(sessions.cancel(id));
    await okOf(sessions.delete(id));
    await watch;
    expect(types.filter((type) => type === 'session.cancelled')).toHaveLength(1);
  });

  test('publishes an event for a waiting session, but not for finished work', async () => {
    const { sessions, store, id, fencingToken } = await open();
    await okOf(sessions.release(id, { fencingToken, done: true }));
    await okOf(sessions.wake(id));
    await okOf(sessions.cancel(id));
    const log = store.events;
    if (log === undefined) throw new Error('the store has no events');
    const page = (await log.read(log.streamOf('default'), '0', 100))._unsafeUnwrap();
    const types = page.events.map(({ type }) => type.replace('session.', ''));
    expect(types.slice(-3)).toEqual(['released', 'woken', 'cancelled']);
  });

  test('fails for a missing or ended session', async () => {
    const { sessions, id } = await open();
    expect(await errorOf(sessions.cancel('nobody'))).toMatchObject({ type: 'not_found' });
    await okOf(sessions.terminate(id));
    expect(await errorOf(sessions.cancel(id))).toMatchObject({
      type: 'invalid_transition',
      command: 'cancel',
    });
    expect(await errorOf(sessions.cancel(id, { reason: '' }))).toMatchObject({
      type: 'invalid_input',
    });
  });
});
