import { err, ok } from 'neverthrow';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { createSweeper, SessionService, type SweeperOptions } from '../../src/index.js';
import { corruptRecord, storeUnavailable } from '../../src/session/errors.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { pass } from '../support/manual-clock.js';
import { okOf, openSessions, startedIn } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';

const MINUTE = 60_000;

const told: string[] = [];

beforeEach(() => {
  told.length = 0;
});

const onEnded = ({ id }: { readonly id: string }) => told.push(id);

const sweep = (sessions: SessionService, options: SweeperOptions = {}) =>
  okOf(createSweeper(sessions, { onEnded, ...options }).sweepOnce());

describe('a sweep with obstacles', () => {
  /** 500 damaged sessions, followed by 50 intact ones that are due later. */
  const openDamaged = async (method: 'findState' | 'put') => {
    const { sessions, store, clock } = openSessions({ reportEnds: true });
    const bad = new Set<string>();
    while (bad.size < 500) bad.add(await startedIn(sessions, { timeLimit: 1 }));
    clock.pass(1);
    const good: string[] = [];
    while (good.length < 50) good.push(await startedIn(sessions, { timeLimit: 1 }));
    clock.pass(1000);
    const looks = vi.fn();
    const refusal = (id: string) => {
      looks();
      return bad.has(id) ? err(corruptRecord(id, 'damaged')) : undefined;
    };
    const damaged = changed(store, {
      ...(method === 'findState' && {
        findState: (key) => refusal(key.id) ?? store.findState(key),
      }),
      ...(method === 'put' && {
        put: (commit) => refusal(commit.key.id) ?? store.change(commit),
      }),
    });
    return { sessions: new SessionService({ store: damaged, clock }), clock, good, looks };
  };

  test.each(['findState', 'put'] as const)(
    'reaches 50 sessions behind 500 damaged ones (%s) in the same round',
    async (method) => {
      const { sessions, clock, good, looks } = await openDamaged(method);
      expect(await sweep(sessions, { batch: 100 })).toEqual({
        ended: 50,
        reported: 50,
        deleted: 0,
        failed: 500,
      });
      expect(told.toSorted()).toEqual(good.toSorted());
      looks.mockClear();
      clock.pass(MINUTE - 1);
      expect(await sweep(sessions, { batch: 100 })).toMatchObject({ failed: 0 });
      expect(looks).not.toHaveBeenCalled();
      clock.pass(1);
      expect(await sweep(sessions, { batch: 100 })).toMatchObject({ failed: 500 });
    },
  );

  test('retries what the store refuses in the next sweep, not immediately', async () => {
    const { sessions, store, clock } = openSessions({ reportEnds: true });
    for (let each = 0; each < 20; each += 1) await startedIn(sessions, { timeLimit: 1 });
    clock.pass(1000);
    const put = vi.fn(() => err(storeUnavailable('no', 'not_applied')));
    expect(
      await sweep(new SessionService({ store: changed(store, { put }), clock }), { batch: 5 }),
    ).toEqual({
      ended: 0,
      reported: 0,
      deleted: 0,
      failed: 5,
    });
    expect(put).toHaveBeenCalledTimes(5);
  });

  test('reports the few ends of one tenant early, next to the many of another', async () => {
    const { sessions, clock } = openSessions({ reportEnds: true });
    for (let each = 0; each < 1000; each += 1)
      await startedIn(sessions.forTenant('many'), { timeLimit: 1 });
    clock.pass(1);
    for (let each = 0; each < 5; each += 1)
      await startedIn(sessions.forTenant('few'), { timeLimit: 1 });
    clock.pass(MINUTE);
    const tenants: string[] = [];
    await sweep(sessions, { batch: 100, onEnded: ({ tenant }) => tenants.push(tenant) });
    expect(tenants).toHaveLength(1005);
    expect(tenants.lastIndexOf('few')).toBeLessThan(100);
  });
});

describe('a store with several partitions', () => {
  /** A store of four parts that share the sessions as given. */
  const openParts = async (sessionsInPart: readonly number[]) => {
    const { store: inner, clock } = openSessions({ reportEnds: true });
    const parts = sessionsInPart.map(() => new MemorySessionStore({ reportEnds: true }));
    const asked: number[] = [];
    for (const [at, part] of parts.entries()) {
      const sessions = new SessionService({ store: part, clock }).forTenant(`${at}`);
      for (let each = 0; each < (sessionsInPart[at] ?? 0); each += 1)
        await startedIn(sessions, { timeLimit: 1 });
    }
    const partOf = (tenant: string) => parts[Number(tenant)] ?? inner;
    const withNext = <T extends object>(at: number, found: T) =>
      at + 1 < parts.length ? { ...found, nextCursor: String(at + 1) } : found;
    const store = changed(inner, {
      findState: (key) => partOf(key.tenant).findState(key),
      remove: (commit) => partOf(commit.key.tenant).remove(commit),
      change: (commit) => partOf(commit.key.tenant).change(commit),
      due: (now, limit, after = '0') => {
        const at = Number(after);
        asked.push(at);
        const due = parts[at]?.due(now, limit) ?? ok({ sessions: [], failed: [], hasMore: false });
        return due.map((found) => withNext(at, found));
      },
    });
    return { sessions: new SessionService({ store, clock }), clock, asked };
  };

  test('is swept completely by sweepOnce, until nothing is left', async () => {
    const { sessions, clock, asked } = await openParts([1, 25, 0, 3]);
    expect(await sweep(sessions, { batch: 10 })).toMatchObject({ ended: 0 });
    expect(asked).toEqual([0, 1, 2, 3]);
    clock.pass(1000);
    expect(await sweep(sessions, { batch: 10 })).toMatchObject({ ended: 29, reported: 29 });
    expect(asked.slice(4)).toEqual([0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]);
  });

  test('is swept partition by partition with each interval, and faster if more is due', async () => {
    const { sessions, clock, asked } = await openParts([0, 25, 0, 3]);
    const sweeper = createSweeper(sessions, { batch: 10, interval: 0.2, onEnded });
    sweeper.start();
    for (let round = 1; round <= 4; round += 1) {
      await pass(clock, 0);
      expect(asked).toEqual([0, 1, 2, 3].slice(0, round));
      await pass(clock, 200);
    }
    await pass(clock, 1000);
    expect(told).toHaveLength(28);
    await sweeper.stop();
  });

  test('is covered within ten seconds, whatever the interval', async () => {
    const { sessions, clock, asked } = await openParts(Array.from({ length: 10 }, () => 0));
    const sweeper = createSweeper(sessions, { interval: 1.5, onEnded });
    sweeper.start();
    for (let ms = 0; ms < 10_000; ms += 500) await pass(clock, 500);
    await sweeper.stop();
    expect(new Set(asked).size).toBe(10);
  });

  test('is swept completely by sweepOnce, wherever the running sweeper is', async () => {
    const { sessions, clock, asked } = await openParts([0, 0, 0, 0]);
    const sweeper = createSweeper(sessions, { interval: 0.2, onEnded });
    sweeper.start();
    await pass(clock, 200);
    expect(asked).toEqual([0, 1]);
    expect(await okOf(sweeper.sweepOnce())).toMatchObject({ ended: 0 });
    expect(asked.slice(2)).toEqual([0, 1, 2, 3]);
    await sweeper.stop();
  });

  test("is swept from the cursor of the host's last sweep", async () => {
    const { sessions, asked } = await openParts([0, 0, 0, 0]);
    const first = await okOf(sessions.sweep(10, { onEnded }));
    expect(first.nextCursor).toBe('1');
    expect((await okOf(sessions.sweep(10, { onEnded, cursor: '3' }))).nextCursor).toBeUndefined();
    expect(asked).toEqual([0, 3]);
  });
});

describe('the timers of a sweeper', () => {
  test('wait for all of a long interval', async () => {
    const { store, clock } = openSessions();
    const due = vi.fn<SessionStore['due']>((...args) => store.due(...args));
    const sweeper = createSweeper(new SessionService({ store: changed(store, { due }), clock }), {
      interval: 150,
    });
    sweeper.start();
    for (let seconds = 0; seconds < 149; seconds += 1) await pass(clock, 1000);
    expect(due).toHaveBeenCalledTimes(1);
    await pass(clock, 1000);
    expect(due).toHaveBeenCalledTimes(2);
    await sweeper.stop();
  });

  test('are cleared once it is stopped', async () => {
    const { sessions, clock } = openSessions();
    const sweeper = createSweeper(sessions);
    sweeper.start();
    await pass(clock, 500);
    expect(clock.waiting).toBe(1);
    await sweeper.stop();
    expect(clock.waiting).toBe(0);
  });

  test('are cleared once an end is reported', async () => {
    const { sessions, clock } = openSessions({ reportEnds: true });
    await startedIn(sessions, { timeLimit: 1 });
    clock.pass(1000);
    expect(await sweep(sessions)).toMatchObject({ reported: 1 });
    expect(clock.waiting).toBe(0);
  });
});
