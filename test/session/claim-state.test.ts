import { describe, expect, test } from 'vitest';
import { claimState, wakeState, wokenState } from '../../src/session/claim-state.js';
import { leaseState, releaseState } from '../../src/session/lease-state.js';
import type { StateRecord } from '../../src/session/session-record.js';
import { advance } from '../../src/session/state-at.js';
import { wakeAtOf } from '../../src/session/wake-at.js';
import { ended, live, NOON } from '../../src/testing/samples.js';

const NEVER = Number.POSITIVE_INFINITY;
const worker = { holder: 'worker', durationMs: 1000, random: 0 };

const woken = (state: StateRecord, at: number, now = NOON) => wakeState(state, at, now)._unsafeUnwrap();
const waiting = live('ACTIVE', { wakeAt: NOON });

const claimed = (state: StateRecord, now = NOON) => {
  const claim = claimState(state, worker, now);
  if (claim === undefined) throw new Error('the session cannot be claimed');
  return claim;
};
const released = (state: StateRecord, isDone: boolean, now = NOON) => {
  const fencingToken = state.lease?.fencingToken ?? 0;
  return releaseState(state, { fencingToken, isDone }, now)._unsafeUnwrap();
};

describe('a wake', () => {
  test('changes the time alone', () => {
    const state = live('PAUSED', { metadata: { title: 'one' } });
    expect(woken(state, NOON + 5)).toEqual({ ...state, wakeAt: NOON + 5 });
  });

  test('of a session that wants a worker by then already changes nothing', () => {
    for (const at of [NOON, NOON + 1]) expect(woken(waiting, at)).toBe(waiting);
    expect(woken(waiting, NOON - 1).wakeAt).toBe(NOON - 1);
  });

  test('of a session that has ended, also by the clock alone, is refused', () => {
    const refusal = { type: 'invalid_transition', status: 'TERMINATED', command: 'wake' };
    for (const state of [ended('failed'), live('ACTIVE', { deadline: NOON })]) {
      expect(wakeState(state, NOON, NOON)._unsafeUnwrapErr()).toMatchObject(refusal);
    }
  });
});

describe('an append that wakes', () => {
  test('makes the session want a worker from its time on, or from an earlier one, with another revision', () => {
    const state = live('PAUSED', { labels: { user: 'u-1' } });
    expect(wokenState(state, 7, NOON)).toEqual({ ...state, revision: 7, wakeAt: NOON });
    expect(wokenState(waiting, 7, NOON + 1)).toEqual({ ...waiting, revision: 7 });
    expect(wokenState(waiting, 7, NOON - 1)).toEqual({ ...waiting, revision: 7, wakeAt: NOON - 1 });
  });

  test('leaves a session that has ended, also by the clock alone', () => {
    for (const state of [ended('failed'), live('ACTIVE', { deadline: NOON })]) {
      expect(wokenState(state, 7, NOON)).toBe(state);
    }
  });
});

describe('a claim', () => {
  test('is a lease in place of the wake', () => {
    const { wakeAt: _, ...rest } = waiting;
    const lease = { holder: 'worker', fencingToken: 1, takenAt: NOON, until: NOON + 1000 };
    expect(claimed(waiting)).toEqual({ ...rest, lease: { ...lease, isClaim: true } });
  });

  test('keeps what it does not change, and a later wake', () => {
    const state = live('PAUSED', { lease: { ...claimed(waiting).lease, until: NOON }, wakeAt: NOON + 9 });
    const labels = { user: 'u-1' };
    const next = claimed({ ...state, labels, metadata: { title: 'one' } });
    expect(next).toMatchObject({ wakeAt: NOON + 9, labels, metadata: { title: 'one' } });
  });

  test('is refused where the session wants no worker, wants one later, is leased or has ended', () => {
    const { lease } = leaseState(live('ACTIVE'), { ...worker, holder: 'other' }, NOON)._unsafeUnwrap();
    const states = [
      live('ACTIVE'),
      live('ACTIVE', { wakeAt: NOON + 1 }),
      live('ACTIVE', { wakeAt: NOON, lease }),
      live('ACTIVE', { wakeAt: NOON, lease: { ...lease, holder: 'worker' } }),
      live('ACTIVE', { wakeAt: NOON, deadline: NOON }),
      ended('failed', { wakeAt: NOON }),
    ];
    for (const state of states) expect(claimState(state, worker, NOON)).toBeUndefined();
  });

  test('can be made again once its lease has run out, with the next fencing token', () => {
    const first = claimed(waiting);
    expect(claimState(first, worker, NOON + 999)).toBeUndefined();
    expect(claimed(first, NOON + 1000).lease).toMatchObject({ fencingToken: 2, isClaim: true });
  });

  test('that is released without its work being done wants a worker from then on', () => {
    const free = released(claimed(waiting), false, NOON + 5);
    expect([free.wakeAt, free.lease?.isClaim]).toEqual([NOON + 5, undefined]);
    expect(wakeAtOf(free)).toBe(NOON + 5);
  });

  test('that is released earlier than a later wake wants a worker at once', () => {
    const free = released(woken(claimed(waiting), NOON + 50), false, NOON + 5);
    expect(free.wakeAt).toBe(NOON + 5);
  });

  test('that is done leaves the wakes that came after it', () => {
    expect(wakeAtOf(released(claimed(waiting), true))).toBe(NEVER);
    expect(wakeAtOf(released(woken(claimed(waiting), NOON + 1), true))).toBe(NOON + 1);
  });

  test('goes on under a new lease, also of another holder, until its work is done', () => {
    const first = claimed(waiting);
    const same = leaseState(first, worker, NOON + 1)._unsafeUnwrap();
    const next = leaseState(first, { ...worker, holder: 'other' }, NOON + 1000)._unsafeUnwrap();
    for (const { lease } of [same, next]) expect(lease.isClaim).toBe(true);
    expect(wakeAtOf(released(next, true, NOON + 1000))).toBe(NEVER);
  });

  test('goes through changes of the status, as a wake does', () => {
    for (const state of [claimed(waiting), waiting]) {
      const paused = advance(state, 'pause', { now: NOON })._unsafeUnwrap();
      expect(wakeAtOf(paused)).toBe(wakeAtOf(state));
    }
  });
});

describe('the release of a lease that is no claim', () => {
  test('makes the session want no worker, whether the work is done or not', () => {
    const leased = leaseState(live('ACTIVE'), worker, NOON)._unsafeUnwrap();
    for (const isDone of [true, false]) expect(wakeAtOf(released(leased, isDone))).toBe(NEVER);
  });
});
