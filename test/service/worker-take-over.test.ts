import { err } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { SessionService } from '../../src/service/session-service.js';
import { misconfigured } from '../../src/session/errors.js';
import type { TakeRange } from '../../src/store/session-store.js';
import { NOON } from '../support/manual-clock.js';
import { lasting, openWorkers } from '../support/open-workers.js';
import { okOf } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';
import { awayError } from '../support/with-lease.js';

/** Polls and renewals an hour apart, so that they cannot hide a missing wake. */
const rare = { interval: 3600, seconds: 10_800 };

describe('a worker without polls and renewals', () => {
  test('aborts the signal when a holder whose clock is ahead takes its session over', async () => {
    const { store, clock, work, waiting } = openWorkers();
    const id = await waiting();
    const { run, begun } = lasting();
    work({ run, ...rare });
    await expect.poll(() => begun.length).toBe(1);
    const ahead = { now: () => clock.now() + 4 * 3_600_000 };
    const other = new SessionService({ store, clock: ahead });
    await okOf(other.claim({ holder: 'other', seconds: 30 }));
    await expect.poll(() => begun[0]?.signal.aborted).toBe(true);
    expect(begun[0]?.signal.reason).toMatchObject({ type: 'lease_lost' });
    expect((await okOf(other.get(id))).lease?.holder).toBe('other');
  });

  test('is notified of wakes again after its log failed once', async () => {
    const memory = new MemorySessionStore({ events: true });
    const { events } = memory;
    if (events === undefined) throw new Error('the store has no events');
    let listeners = 0;
    let failures = 0;
    const log = {
      streamOf: () => events.streamOf(),
      latest: () => events.latest(),
      now: () => events.now(),
      read: (...args: Parameters<typeof events.read>) => {
        if (failures !== 1) return events.read(...args);
        failures += 1;
        return err(misconfigured('the user has no right to read it'));
      },
      listen: (listener: () => void) => {
        listeners += 1;
        return events.listen(listener);
      },
    };
    const { work, waiting, pass } = openWorkers(changed(memory, { events: log }));
    const { run, begun } = lasting();
    work({ run, interval: 10 });
    await expect.poll(() => listeners).toBe(1);
    failures = 1;
    const first = await waiting();
    await expect.poll(() => failures).toBe(2);
    await pass(10_000);
    await expect.poll(() => listeners).toBe(2);
    const second = await waiting();
    await expect.poll(() => begun.map(({ session }) => session.id).sort()).toEqual([first, second]);
  });
});

describe('a worker of a slow store', () => {
  test('counts its lease from the start of the claim, not from the reply', async () => {
    const memory = new MemorySessionStore();
    const inner = changed(memory, {});
    let changes = 0;
    let isSlow = true;
    const store = changed(memory, {
      // The store applies the claim immediately, answers a second late and then hangs.
      put: (commit) => {
        if (!isSlow) return inner.change(commit);
        changes += 1;
        if (changes > 1) return later(60_000, () => inner.change(commit));
        const replaced = inner.change(commit);
        return later(1000, () => replaced);
      },
    });
    const { sessions, clock, work, waiting, pass } = openWorkers(store);
    const later = <T>(ms: number, answer: () => T) =>
      new Promise<Awaited<T>>((resolve) => {
        clock.after(ms, async () => resolve(await answer()));
      });
    const id = await waiting();
    const { run, begun, finish } = lasting();
    work({ run, seconds: 2 });
    await expect.poll(() => changes).toBe(1);
    await pass(1000);
    expect(begun).toHaveLength(1);
    await pass(750);
    expect(begun[0]?.signal.aborted).toBe(false);
    await pass(250);
    expect((await okOf(sessions.get(id))).lease).toBeUndefined();
    expect(begun[0]?.signal.aborted).toBe(true);
    isSlow = false;
    finish();
    await pass(120_000);
  });

  test('counts each lease of a claim from its own time, if the store is slow between them', async () => {
    const memory = new MemorySessionStore();
    const inner = changed(memory, {});
    const ranges: TakeRange[] = [];
    let changes = 0;
    let isAway = false;
    const store = changed(memory, {
      // Hands out one session per call, the second after eight seconds.
      take: (range) => {
        ranges.push(range);
        if (ranges.length === 2) clock.pass(8000);
        return inner.take({ ...range, limit: 1 });
      },
      // Stores the two claims, but no renewal.
      put: (commit) => {
        changes += 1;
        isAway ||= changes > 2;
        return isAway ? awayError() : inner.change(commit);
      },
    });
    const { sessions, clock, work, waiting, pass } = openWorkers(store);
    const ids = [await waiting(), await waiting()];
    const { run, begun, finish } = lasting();
    work({ run, seconds: 10, concurrency: 2, interval: 3600 });
    await expect.poll(() => begun.length).toBe(2);
    const held = async () => {
      const all = await Promise.all(ids.map((id) => okOf(sessions.get(id))));
      return all.map(({ lease }) => lease !== undefined);
    };
    const isGone = () => begun.map(({ signal }) => signal.aborted);
    for (const [ms, gone] of [
      [1750, [false, false]],
      [250, [true, false]],
      [7750, [true, false]],
      [250, [true, true]],
    ] as const) {
      await pass(ms);
      expect(isGone()).toEqual(gone);
      expect(await held()).toEqual(gone.map((each) => !each));
    }
    isAway = false;
    changes = Number.NEGATIVE_INFINITY;
    finish();
    finish();
    await pass(20_000);
  });

  test('hides all sessions of a claim from other claims equally long', async () => {
    const memory = new MemorySessionStore();
    const inner = changed(memory, {});
    const ranges: TakeRange[] = [];
    const store = changed(memory, {
      take: (range) => {
        ranges.push(range);
        const claimed = inner.take({ ...range, limit: 1 });
        clock.pass(20_000);
        return claimed;
      },
    });
    const { sessions, clock, waiting } = openWorkers(store);
    await waiting();
    await waiting();
    await okOf(sessions.claim({ holder: 'worker-1', seconds: 60, limit: 2 }));
    expect(ranges.map(({ now, until }) => [now - NOON, until - now])).toEqual([
      [0, 10_000],
      [20_000, 10_000],
    ]);
  });
});
