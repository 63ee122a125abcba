import { err } from 'neverthrow';
import { describe, expect, test, vi } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { createSweeper, type EndedSession, SessionService } from '../../src/index.js';
import { storeUnavailable } from '../../src/session/errors.js';
import { NOON, pass } from '../support/manual-clock.js';
import { ada, createdIn, errorOf, okOf, openSessions, startedIn } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';

const at = (ms: number): string => new Date(NOON + ms).toISOString();

describe('a sweep', () => {
  test('ends an overdue session as of its deadline', async () => {
    const { sessions, store, clock } = openSessions({ reportEnds: true });
    const id = await startedIn(sessions, { timeLimit: 60 });
    clock.pass(59_999);
    const told: EndedSession[] = [];
    const sweeper = createSweeper(sessions, { onEnded: (session) => told.push(session) });
    expect(await okOf(sweeper.sweepOnce())).toEqual({
      ended: 0,
      reported: 0,
      deleted: 0,
      failed: 0,
    });
    clock.pass(60_001);
    expect(await okOf(sweeper.sweepOnce())).toEqual({
      ended: 1,
      reported: 1,
      deleted: 0,
      failed: 0,
    });
    const times = { duration: 60, durationMs: 60_000, startedAt: at(0), endedAt: at(60_000) };
    expect(told).toEqual([
      { tenant: 'default', id, endReason: 'time_limit', labels: {}, ...times },
    ]);
    const state = (await store.findState({ tenant: 'default', id }))._unsafeUnwrap();
    expect(state).toMatchObject({ status: 'TERMINATED', since: NOON + 60_000, activeMs: 60_000 });
    expect(await okOf(sessions.get(id))).toMatchObject({ status: 'TERMINATED', duration: 60 });
    await okOf(sweeper.sweepOnce());
    expect(told).toHaveLength(1);
  });

  test("ends an IDLE or PAUSED session after the host's idle timeout", async () => {
    const { sessions, clock } = openSessions({ idleTimeout: 30, reportEnds: true });
    const idle = await createdIn(sessions);
    const paused = await startedIn(sessions);
    await okOf(sessions.pause(paused));
    const active = await startedIn(sessions);
    clock.pass(30_000);
    const told: EndedSession[] = [];
    await okOf(createSweeper(sessions, { onEnded: (session) => told.push(session) }).sweepOnce());
    expect(told.map(({ id, endReason }) => [id, endReason]).toSorted()).toEqual([
      [idle, 'idle_timeout'],
      [paused, 'idle_timeout'],
    ]);
    expect(await okOf(sessions.get(active))).toMatchObject({ status: 'ACTIVE' });
  });

  test('deletes a session when its retention is over, to the millisecond', async () => {
    const { sessions, clock } = openSessions({ retention: 3600 });
    const id = await startedIn(sessions);
    clock.pass(1000);
    await okOf(sessions.terminate(id));
    clock.pass(3_599_999);
    await okOf(createSweeper(sessions).sweepOnce());
    expect(await okOf(sessions.get(id))).toMatchObject({ status: 'TERMINATED' });
    clock.pass(1);
    expect(await okOf(createSweeper(sessions).sweepOnce())).toEqual({
      ended: 0,
      reported: 0,
      deleted: 1,
      failed: 0,
    });
    expect(await errorOf(sessions.get(id))).toMatchObject({ type: 'not_found' });
    expect((await okOf(sessions.list())).total).toBe(0);
  });

  test('counts the retention of an overdue session from its end, not from the sweep', async () => {
    const { sessions, clock } = openSessions({ retention: 100 });
    const id = await startedIn(sessions, { timeLimit: 10 });
    clock.pass(60_000);
    await okOf(createSweeper(sessions).sweepOnce());
    clock.pass(50_000);
    expect(await okOf(createSweeper(sessions).sweepOnce())).toMatchObject({ deleted: 1 });
    expect(await errorOf(sessions.get(id))).toMatchObject({ type: 'not_found' });
  });

  test('keeps sessions forever by default', async () => {
    const { sessions, clock } = openSessions();
    const id = await startedIn(sessions);
    await okOf(sessions.terminate(id));
    clock.pass(100 * 365 * 86_400_000);
    expect(await okOf(createSweeper(sessions).sweepOnce())).toEqual({
      ended: 0,
      reported: 0,
      deleted: 0,
      failed: 0,
    });
    expect(await okOf(sessions.get(id))).toMatchObject({ id });
  });

  test('covers all tenants, and catches up with any backlog in batches', async () => {
    const { sessions, clock } = openSessions({ reportEnds: true });
    for (let each = 0; each < 250; each += 1)
      await startedIn(sessions.forTenant(`t${each % 7}`), { timeLimit: 1 });
    clock.pass(86_400_000);
    const told = new Set<string>();
    const sweeper = createSweeper(sessions, { batch: 20, onEnded: ({ id }) => told.add(id) });
    expect(await okOf(sweeper.sweepOnce())).toEqual({
      ended: 250,
      reported: 250,
      deleted: 0,
      failed: 0,
    });
    expect(told.size).toBe(250);
  });

  test('reports each end exactly once among several concurrent sweeps', async () => {
    const { store, sessions, clock } = openSessions({ reportEnds: true });
    for (let each = 0; each < 100; each += 1) await startedIn(sessions, { timeLimit: 1 });
    clock.pass(1000);
    const told: string[] = [];
    const sweepers = Array.from({ length: 4 }, () =>
      createSweeper(new SessionService({ store, clock }), {
        batch: 30,
        onEnded: ({ id }) => told.push(id),
      }),
    );
    await Promise.all(sweepers.map((sweeper) => okOf(sweeper.sweepOnce())));
    expect(told).toHaveLength(100);
    expect(new Set(told).size).toBe(100);
  });

  test('does not delete a session that was created under the key of a deleted one', async () => {
    const { clock } = openSessions();
    const inner = new MemorySessionStore();
    const sessions = new SessionService({ store: inner, clock, retention: 1 });
    const input = { ...ada, idempotencyKey: 'lesson' };
    const { id } = await okOf(sessions.create(input));
    await okOf(sessions.terminate(id));
    clock.pass(1000);
    const store = changed(inner, {
      remove: async (commit) => {
        await okOf(sessions.delete(id));
        await okOf(sessions.create(input));
        return inner.remove(commit);
      },
    });
    const report = await okOf(createSweeper(new SessionService({ store, clock })).sweepOnce());
    expect(report).toEqual({ ended: 0, reported: 0, deleted: 0, failed: 0 });
    expect(await okOf(sessions.get(id))).toMatchObject({ status: 'IDLE' });
  });

  test('reports what it could not do, and does it the next time', async () => {
    const { clock } = openSessions({ reportEnds: true });
    const inner = new MemorySessionStore();
    const sessions = new SessionService({ store: inner, clock });
    await startedIn(sessions, { timeLimit: 1 });
    clock.pass(1000);
    const error = storeUnavailable('no', 'not_applied');
    const store = changed(inner, { put: () => err(error) });
    const onError = vi.fn();
    const sweeper = createSweeper(new SessionService({ store, clock }), { onError });
    expect(await okOf(sweeper.sweepOnce())).toEqual({
      ended: 0,
      reported: 0,
      deleted: 0,
      failed: 1,
    });
    expect(onError).toHaveBeenCalledExactlyOnceWith(error);
    expect(await okOf(createSweeper(sessions).sweepOnce())).toMatchObject({ ended: 1 });
  });

  test.each([
    [{ interval: 0 }, 'interval'],
    [{ batch: 0 }, 'batch'],
    [{ batch: 10_001 }, 'batch'],
    [{ onEnded: 'log' }, 'onEnded must be a function'],
    [{ onError: {} }, 'onError'],
    [{ interal: 5 }, 'interal is unknown (did you mean interval?)'],
  ])('throws a TypeError for %j', (options, message) => {
    const { sessions } = openSessions({ reportEnds: true });
    expect(() => createSweeper(sessions, Object(options))).toThrow(
      expect.objectContaining({ name: 'TypeError' }),
    );
    expect(() => createSweeper(sessions, Object(options))).toThrow(`createSweeper: ${message}`);
  });

  test('throws a TypeError if it is given no service', () => {
    expect(() => Reflect.apply(createSweeper, undefined, [undefined])).toThrow(
      new TypeError('createSweeper: sessions must be a SessionService'),
    );
  });
});

describe('a running sweeper', () => {
  test('sweeps at each interval until it is stopped', async () => {
    const { sessions, clock } = openSessions({ reportEnds: true });
    const told: string[] = [];
    const sweeper = createSweeper(sessions, { interval: 5, onEnded: ({ id }) => told.push(id) });
    sweeper.start();
    sweeper.start();
    for (let round = 1; round <= 3; round += 1) {
      await startedIn(sessions, { timeLimit: 1 });
      await pass(clock, 5000);
      expect(told).toHaveLength(round);
    }
    await sweeper.stop();
    await startedIn(sessions, { timeLimit: 1 });
    await pass(clock, 60_000);
    expect(told).toHaveLength(3);
    expect(clock.waiting).toBe(0);
    sweeper.start();
    await pass(clock, 1);
    expect(told).toHaveLength(4);
    await sweeper.stop();
  });
});
