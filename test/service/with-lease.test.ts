import { ok, type Result } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { call, createdIn, errorOf, okOf, openSessions, startedIn } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';
import {
  awayError,
  leaseOf,
  nineSeconds,
  openLeases as open,
  settled,
  working,
} from '../support/with-lease.js';

describe('withLease', () => {
  test("leases the session, returns the function's value, and releases the lease", async () => {
    const bench = await open();
    const { sessions, id } = bench;
    const result = await okOf(
      sessions.withLease(id, nineSeconds, async ({ fencingToken, signal }) => {
        expect(await leaseOf(bench)).toMatchObject({ holder: 'worker-1', fencingToken });
        expect(signal.aborted).toBe(false);
        await okOf(
          sessions.append(id, [{ role: 'assistant', content: 'hello' }], { fencingToken }),
        );
        return 42;
      }),
    );
    expect(result).toBe(42);
    expect(await leaseOf(bench)).toBeUndefined();
    expect(await okOf(sessions.withLease(id, nineSeconds, () => ok('a value')))).toBe('a value');
  });

  test('renews the lease at a third of its length, for as long as the function runs', async () => {
    const bench = await open();
    const { sessions, id, pass } = bench;
    const { use, begun, finish } = working();
    const result = sessions.withLease(id, nineSeconds, use);
    const { signal, fencingToken } = await begun;
    await pass(2999);
    expect(await leaseOf(bench)).toMatchObject({ until: '2026-01-31T12:00:09.000Z' });
    await pass(1);
    expect(await leaseOf(bench)).toMatchObject({ until: '2026-01-31T12:00:12.000Z', fencingToken });
    await pass(600_000);
    expect(signal.aborted).toBe(false);
    expect(await errorOf(sessions.lease(id, { holder: 'worker-2', seconds: 9 }))).toMatchObject({
      type: 'leased',
    });
    finish();
    expect(await okOf(result)).toBe('done');
    const next = await okOf(sessions.lease(id, { holder: 'worker-2', seconds: 9 }));
    expect(next.fencingToken).toBeGreaterThan(fencingToken);
  });

  test('leaves no timer behind', async () => {
    const { sessions, id, clock } = await open();
    await okOf(sessions.withLease(id, nineSeconds, () => undefined));
    expect(clock.waiting).toBe(0);
  });

  test('fails with leased, without calling the function, while another holder has the lease', async () => {
    const { sessions, id } = await open();
    await okOf(sessions.lease(id, { holder: 'worker-2', seconds: 9 }));
    let calls = 0;
    const count = () => {
      calls += 1;
    };
    expect(await errorOf(sessions.withLease(id, nineSeconds, count))).toMatchObject({
      type: 'leased',
      holder: 'worker-2',
    });
    expect(await errorOf(sessions.withLease('nobody', nineSeconds, count))).toMatchObject({
      type: 'not_found',
    });
    expect(await errorOf(sessions.withLease(id, { holder: '', seconds: 0 }, count))).toMatchObject({
      type: 'invalid_input',
      issues: [{ path: 'holder' }, { path: 'seconds' }],
    });
    expect(calls).toBe(0);
  });

  test('returns what the function threw, after the release', async () => {
    const bench = await open();
    const cause = new Error('the model is away');
    const thrown = bench.sessions.withLease(bench.id, nineSeconds, () => {
      throw cause;
    });
    expect(await errorOf(thrown)).toMatchObject({ type: 'callback_failed', cause });
    expect(await leaseOf(bench)).toBeUndefined();
    const rejected = bench.sessions.withLease(bench.id, nineSeconds, () => Promise.reject(cause));
    expect(await errorOf(rejected)).toMatchObject({ type: 'callback_failed', cause });
  });

  test('aborts the signal once another holder has the lease, and fails with lease_lost', async () => {
    for (const end of ['returns', 'throws']) {
      const { sessions, id, pass } = await open();
      const { use, begun, finish } = working();
      const result = sessions.withLease(id, nineSeconds, async (lease) => {
        await use(lease);
        if (end === 'throws') lease.signal.throwIfAborted();
      });
      const { signal, fencingToken } = await begun;
      const second = await okOf(sessions.lease(id, nineSeconds)); // a second worker with the same name
      await pass(3000);
      expect([signal.aborted, signal.reason]).toMatchObject([
        true,
        { type: 'lease_lost', fencingToken },
      ]);
      finish();
      expect(await errorOf(result)).toMatchObject({ type: 'lease_lost', fencingToken });
      expect((await okOf(sessions.get(id))).lease).toMatchObject({
        fencingToken: second.fencingToken,
      });
    }
  });

  test('aborts the signal when the lease expires without a renewal, and retries until then', async () => {
    const inner = new MemorySessionStore();
    let isAway = false;
    let tries = 0;
    const store = changed(inner, {
      put: (commit) => {
        if (isAway) tries += 1;
        return isAway ? awayError() : inner.change(commit);
      },
    });
    const { sessions, clock } = openSessions({ store });
    const id = await startedIn(sessions);
    const { use, begun, finish } = working();
    const result = sessions.withLease(id, nineSeconds, use);
    const { signal } = await begun;
    const pass = async (ms: number) => {
      for (let left = ms; left > 0; left -= 100) {
        clock.pass(100);
        await settled();
      }
    };
    isAway = true;
    await pass(8900);
    expect(signal.aborted).toBe(false);
    expect(tries).toBeGreaterThan(5);
    await pass(100);
    expect([signal.aborted, signal.reason]).toMatchObject([true, { type: 'lease_lost' }]);
    isAway = false;
    finish();
    expect(await errorOf(result)).toMatchObject({ type: 'lease_lost' });
  });

  test('continues after an outage that was shorter than the lease', async () => {
    const inner = new MemorySessionStore();
    let isAway = false;
    const store = changed(inner, {
      put: (commit) => (isAway ? awayError() : inner.change(commit)),
    });
    const { sessions, clock } = openSessions({ store });
    const id = await startedIn(sessions);
    const { use, begun, finish } = working();
    const result = sessions.withLease(id, nineSeconds, use);
    const { signal } = await begun;
    for (let at = 0; at < 300; at += 1) {
      isAway = at >= 20 && at < 70;
      clock.pass(100);
      await settled();
    }
    expect(signal.aborted).toBe(false);
    finish();
    expect(await okOf(result)).toBe('done');
  });

  test("aborts the signal when the session ends or disappears, and returns the function's value", async () => {
    for (const end of ['terminate', 'delete'] as const) {
      const { sessions, id, pass } = await open();
      const { use, begun, finish } = working();
      const result = sessions.withLease(id, nineSeconds, use);
      const { signal } = await begun;
      await okOf<unknown>(sessions[end](id));
      await pass(3000);
      const type = end === 'delete' ? 'not_found' : 'invalid_transition';
      expect([signal.aborted, signal.reason]).toMatchObject([true, { type }]);
      finish();
      expect(await okOf(result)).toBe('done');
    }
  });

  test('returns the reason of the abort if the function throws it, even after the session has ended', async () => {
    const { sessions, id, pass } = await open();
    const { use, begun, finish } = working();
    const result = sessions.withLease(id, nineSeconds, async (lease) => {
      await use(lease);
      lease.signal.throwIfAborted();
    });
    await begun;
    await okOf(sessions.terminate(id));
    await pass(3000);
    finish();
    expect(await errorOf(result)).toMatchObject({ type: 'invalid_transition' });
  });

  test("returns the function's value if the function released the lease itself", async () => {
    const { sessions, id, pass } = await open();
    const { use, begun, finish } = working();
    const result = sessions.withLease(id, nineSeconds, async (lease) => {
      await okOf(lease.sessions.release(id, { fencingToken: lease.fencingToken, done: true }));
      return use(lease);
    });
    const { signal } = await begun;
    await pass(3000);
    expect(signal.aborted).toBe(true);
    finish();
    expect(await okOf(result)).toBe('done');
  });

  test("returns the function's value if the function ended the session itself", async () => {
    const { sessions } = await open();
    const id = await createdIn(sessions);
    const ended = sessions.withLease(id, nineSeconds, async ({ fencingToken }) => {
      await okOf(sessions.start(id, { fencingToken }));
      return okOf(sessions.terminate(id, { fencingToken }));
    });
    expect(await okOf(ended)).toMatchObject({ status: 'TERMINATED' });
  });

  test('accepts a result of another library from the function, which has no more than isErr', async () => {
    const bench = await open();
    const { sessions, id } = bench;
    const done = { isErr: () => false, value: 'done' };
    expect(await okOf(sessions.withLease(id, nineSeconds, () => done))).toBe('done');
    const failed = { isErr: () => true, error: { type: 'model_away' } };
    const result: Result<unknown, unknown> = await sessions.withLease(
      id,
      nineSeconds,
      () => failed,
    );
    expect(result._unsafeUnwrapErr()).toEqual({ type: 'model_away' });
    expect(await leaseOf(bench)).toBeUndefined();
  });

  test('never throws or rejects, whatever it is given', async () => {
    const { sessions, id } = await open();
    const hostile = Object.defineProperty({}, 'seconds', {
      get: () => {
        throw new Error('no');
      },
    });
    for (const args of [
      [],
      [id],
      [id, nineSeconds],
      [id, nineSeconds, 'x'],
      [id, null, () => 1],
      [id, hostile, () => 1],
    ]) {
      expect(await call(sessions, 'withLease', ...args)).toMatchObject({
        error: { type: 'invalid_input' },
      });
    }
    expect(await errorOf(sessions.lease(id, { holder: '', seconds: 1 }))).toMatchObject({
      type: 'invalid_input',
    });
    expect((await okOf(sessions.get(id))).lease).toBeUndefined();
  });
});
