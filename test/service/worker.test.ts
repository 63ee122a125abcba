import { err, ok } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { createWorker } from '../../src/service/worker.js';
import type { ClaimedWork } from '../../src/service/worker-options.js';
import { storeUnavailable } from '../../src/session/errors.js';
import { ada, okOf } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';
import { lasting, open } from './worker-bench.js';

describe('a worker', () => {
  test('runs for each session that wants one, once, with the session and its own token', async () => {
    const { sessions, work, waiting, pass } = open();
    const ids = [await waiting(), await waiting()];
    const seen: string[] = [];
    work({
      run: async ({ session, sessions: own, attempt, fencingToken }) => {
        seen.push(session.id);
        expect([attempt, session.lease?.fencingToken]).toEqual([1, fencingToken]);
        await okOf(own.append(session.id, [{ role: 'assistant', content: 'Hello!' }]));
      },
    });
    await pass(5000);
    expect(seen.sort()).toEqual(ids);
    for (const id of ids) {
      const session = await okOf(sessions.get(id));
      expect([session.history.length, session.lease, session.work]).toEqual([1, undefined, undefined]);
    }
  });

  test('hears of a wake without a poll', async () => {
    const { work, waiting, pass } = open();
    const { run, begun } = lasting();
    work({ run, interval: 3600 });
    await pass(10);
    const id = await waiting();
    await expect.poll(() => begun.map(({ session }) => session.id)).toEqual([id]);
  });

  test('polls a store without events', async () => {
    const { work, waiting, pass } = open(new MemorySessionStore());
    const { run, begun } = lasting();
    work({ run });
    await pass(10);
    await waiting();
    await pass(1000);
    expect(begun).toHaveLength(1);
  });

  test('has at most as many sessions as its concurrency, and takes the next when one is done', async () => {
    const { work, waiting, pass } = open();
    for (let count = 0; count < 5; count += 1) await waiting();
    const { run, begun, finish } = lasting();
    work({ run, concurrency: 2 });
    await pass(250);
    expect(begun).toHaveLength(2);
    finish();
    await expect.poll(() => begun.length).toBe(3);
  });

  test('renews its leases while it works', async () => {
    const { sessions, work, waiting, pass } = open();
    const id = await waiting();
    const { run, begun, finish } = lasting();
    work({ run, seconds: 3 });
    await pass(20_000);
    expect([begun.length, begun[0]?.signal.aborted]).toEqual([1, false]);
    finish();
    await pass(250);
    expect((await okOf(sessions.get(id))).work).toBeUndefined();
  });

  test('runs again if the session was woken meanwhile', async () => {
    const { sessions, work, waiting, pass } = open();
    const id = await waiting();
    const { run, begun, finish } = lasting();
    work({ run });
    await pass(250);
    await okOf(sessions.wake(id));
    finish();
    await pass(250);
    expect(begun.map(({ attempt }) => attempt)).toEqual([1, 1]);
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('no model');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no model'))],
    ['returns an Err', () => err(new Error('no model'))],
  ])('tries again later if its function %s, up to a number of attempts', async (_, run) => {
    const { sessions, work, waiting, errors, pass } = open();
    const id = await waiting();
    const attempts: number[] = [];
    work({
      attempts: 3,
      run: ({ attempt }) => {
        attempts.push(attempt);
        return run();
      },
    });
    await pass(60_000);
    expect(attempts).toEqual([1, 2, 3]);
    expect(errors).toMatchObject([1, 2, 3].map((attempt) => ({ type: 'work_failed', id, attempt })));
    expect((await okOf(sessions.get(id))).work).toEqual({ attempts: 0, exhausted: true });
  });

  test('takes an Ok for done, and other sessions are not held up by one that fails', async () => {
    const { sessions, work, waiting, pass } = open();
    const [bad, good] = [await waiting(), await waiting()];
    work({ run: ({ session }) => (session.id === bad ? err('bad') : ok('good')), concurrency: 1 });
    await pass(250);
    expect((await okOf(sessions.get(good))).work).toBeUndefined();
  });

  test('aborts the signal as soon as its work is cancelled from elsewhere', async () => {
    const { sessions, work, waiting, errors, pass } = open();
    const id = await waiting();
    const { run, begun, finish } = lasting();
    work({ run, interval: 3600 });
    await expect.poll(() => begun.length).toBe(1);
    await okOf(sessions.cancel(id, { reason: 'enough' }));
    await expect.poll(() => begun[0]?.signal.aborted).toBe(true);
    expect(begun[0]?.signal.reason).toMatchObject({ type: 'cancelled', reason: 'enough' });
    finish();
    await pass(5000);
    expect([begun.length, errors]).toEqual([1, []]);
  });

  test.each([
    ['its model rejects in words of its own', () => Promise.reject(new Error('This operation was aborted'))],
    [
      'it writes without a look at the signal',
      ({ session, sessions: own }: ClaimedWork) => own.orThrow.pause(session.id),
    ],
  ])('reports no error of work that was cancelled, also if %s', async (_, end) => {
    const { sessions, work, waiting, errors, pass } = open();
    const id = await waiting();
    const { run, begun, finish } = lasting();
    work({ run: (claimed) => run(claimed).then(() => end(claimed)), interval: 3600 });
    await expect.poll(() => begun.length).toBe(1);
    await okOf(sessions.cancel(id));
    finish();
    await pass(5000);
    expect([begun.length, errors]).toEqual([1, []]);
  });

  test('aborts the signal as soon as the session has ended, and is told so', async () => {
    const { sessions, work, waiting, errors, pass } = open();
    const id = await waiting();
    const { run, begun, finish } = lasting();
    work({ run, interval: 3600 });
    await expect.poll(() => begun.length).toBe(1);
    await okOf(sessions.terminate(id));
    await expect.poll(() => begun[0]?.signal.aborted).toBe(true);
    expect(begun[0]?.signal.reason).toMatchObject({ type: 'invalid_transition' });
    finish();
    await pass(250);
    expect(errors).toEqual([]);
  });

  test('goes on after an outage, also one in which its work ended', async () => {
    let isAway = false;
    const away = err(storeUnavailable('it is away', 'not_applied'));
    const memory = new MemorySessionStore({ events: true });
    const inner = changed(memory, {});
    const store = changed(memory, {
      replace: async (...args) => (isAway ? away : inner.replace(...args)),
      claim: async (range) => (isAway ? away : inner.claim(range)),
    });
    const { sessions, work, waiting, errors, pass } = open(store);
    const id = await waiting();
    const { run, begun, finish } = lasting();
    work({ run });
    await pass(250);
    isAway = true;
    finish();
    await pass(5000);
    isAway = false;
    await pass(20_000);
    expect([begun.length, (await okOf(sessions.get(id))).work]).toEqual([1, undefined]);
    expect(errors).toContainEqual(expect.objectContaining({ type: 'store_unavailable' }));
  });

  test('waits for its work when it is stopped, and claims no more', async () => {
    const { work, waiting, pass } = open();
    await waiting();
    const { run, begun, finish } = lasting();
    const worker = work({ run, concurrency: 1 });
    await pass(250);
    await waiting();
    let isStopped = false;
    const stopping = worker.stop().then(() => {
      isStopped = true;
    });
    await pass(40_000);
    expect([isStopped, begun.length, begun[0]?.signal.aborted]).toEqual([false, 1, false]);
    finish();
    await stopping;
    await pass(5000);
    expect(begun).toHaveLength(1);
  });

  test('leaves no timer behind', async () => {
    const { clock, work, pass } = open();
    const before = clock.waiting;
    const worker = work({ run: () => undefined });
    await pass(3000);
    await worker.stop();
    expect(clock.waiting).toBe(before);
  });

  test('works for its tenant, or for all', async () => {
    const { sessions, work, pass } = open();
    for (const tenant of ['acme', 'globex']) await okOf(sessions.forTenant(tenant).create({ ...ada, wake: true }));
    const seen: string[] = [];
    const run = ({ tenant, sessions: own, session }: ClaimedWork) => {
      seen.push(tenant);
      return own.get(session.id);
    };
    work({ run });
    await pass(1000);
    expect(seen).toEqual([]);
    work({ run, allTenants: true });
    await pass(1000);
    expect(seen.sort()).toEqual(['acme', 'globex']);
  });

  test.each([
    [{ concurrency: 0 }, 'concurrency'],
    [{ concurency: 3 }, 'concurency'],
    [{ seconds: -1 }, 'seconds'],
    [{ run: 'it' }, 'run'],
    [{ allTenants: 'yes' }, 'allTenants'],
  ])('with the options %j is a TypeError that names them', (options, name) => {
    const { sessions } = open();
    const all = { run: () => undefined, ...options };
    expect(() => Reflect.apply(createWorker, undefined, [sessions, all])).toThrow(name);
  });
});
