import { err } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { Turn } from '../../src/service/service-turn.js';
import { SessionService } from '../../src/service/session-service.js';
import { storeUnavailable } from '../../src/session/errors.js';
import type { StateChange } from '../../src/store/commit.js';
import { lasting, openWorkers, settled } from '../support/open-workers.js';
import { okOf } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';

/** A store that accepts no states during an outage, and what is behind it. */
const openAway = () => {
  const memory = new MemorySessionStore({ events: true });
  const outage = { isOn: false };
  const away = err(storeUnavailable('it is away', 'not_applied'));
  const inner = changed(memory, {});
  const put = async (commit: StateChange) => (outage.isOn ? away : inner.change(commit));
  return { memory, store: changed(memory, { events: memory.events, put }), outage };
};

describe('a worker', () => {
  test('aborts the signal as soon as its work is cancelled elsewhere', async () => {
    const { sessions, work, waiting, errors, pass } = openWorkers();
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

  test('reports no error of cancelled calls, even if they throw', async () => {
    const { sessions, work, waiting, errors, pass } = openWorkers();
    const id = await waiting();
    work({
      run: async ({ session, sessions: own }) => {
        await okOf(sessions.cancel(id));
        await own.orThrow.append(session.id, [{ role: 'assistant', content: 'late' }]);
      },
    });
    await pass(1000);
    expect([errors, (await okOf(sessions.get(id))).history]).toEqual([[], []]);
  });

  test.each([
    [
      'its model rejects in words of its own',
      () => Promise.reject(new Error('This operation was aborted')),
    ],
    [
      'it writes without a look at the signal',
      ({ session, sessions: own }: Turn) => own.orThrow.pause(session.id),
    ],
  ])('reports no error of cancelled work, even if %s', async (_, end) => {
    const { sessions, work, waiting, errors, pass } = openWorkers();
    const id = await waiting();
    const { run, begun, finish } = lasting();
    const ended = async (turn: Turn) => {
      await run(turn);
      await end(turn);
    };
    work({ run: ended, interval: 3600 });
    await expect.poll(() => begun.length).toBe(1);
    await okOf(sessions.cancel(id));
    finish();
    await pass(5000);
    expect([begun.length, errors]).toEqual([1, []]);
  });

  test('aborts the signal as soon as the session has ended, with the reason', async () => {
    const { sessions, work, waiting, errors, pass } = openWorkers();
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

  test('continues after an outage, even one in which its work ended', async () => {
    let isAway = false;
    const away = err(storeUnavailable('it is away', 'not_applied'));
    const memory = new MemorySessionStore({ events: true });
    const inner = changed(memory, {});
    const store = changed(memory, {
      put: async (commit) => (isAway ? away : inner.change(commit)),
      take: async (range) => (isAway ? away : inner.take(range)),
    });
    const { sessions, work, waiting, errors, pass } = openWorkers(store);
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
    const { work, waiting, pass } = openWorkers();
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

  test('waits for work whose lease it lost, and notices a cancel of its later claim', async () => {
    const { store, outage } = openAway();
    const { sessions, work, waiting, pass } = openWorkers(store);
    const id = await waiting();
    const { run, begun, finish } = lasting();
    const worker = work({ run, seconds: 3 });
    await pass(250);
    outage.isOn = true;
    await pass(4000);
    outage.isOn = false;
    await pass(11_000);
    expect(begun.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    finish();
    for (let turn = 0; turn < 5; turn += 1) await settled();
    await okOf(sessions.cancel(id));
    await expect.poll(() => begun[1]?.signal.aborted).toBe(true);
    finish();
    await worker.stop();
  });

  test('notices a cancel immediately, even if the turn before had late last words', async () => {
    const { memory, store, outage } = openAway();
    const { clock, work, waiting, pass } = openWorkers(store);
    const others = new SessionService({ store: memory, clock });
    const id = await waiting();
    const { run, begun } = lasting();
    work({ run, interval: 1, seconds: 30 });
    await pass(250);
    // The worker notices the cancel only when it renews its lease again, three seconds later.
    outage.isOn = true;
    await okOf(others.cancel(id));
    await okOf(others.send(id, 'And now?'));
    await pass(1000);
    outage.isOn = false;
    await pass(5000);
    expect(begun.map(({ signal }) => signal.aborted)).toEqual([true, false]);
    await pass(4000); // The time for the last words of the first turn is over.
    await okOf(others.cancel(id));
    await expect.poll(() => begun[1]?.signal.aborted).toBe(true);
  });

  test('leaves no timer behind', async () => {
    const { clock, work, pass } = openWorkers();
    const before = clock.waiting;
    const worker = work({ run: () => undefined });
    await pass(3000);
    await worker.stop();
    expect(clock.waiting).toBe(before);
  });
});
