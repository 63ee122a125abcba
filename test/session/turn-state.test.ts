import { describe, expect, test } from 'vitest';
import { changeStatus } from '../../src/session/change-status.js';
import { leaseState, releaseState, renewState, wakeState } from '../../src/session/lease-state.js';
import type { StateRecord } from '../../src/session/session-record.js';
import { cancelState, claimState, LAST_WORDS_MS } from '../../src/session/turn-state.js';
import { wakeAtOf } from '../../src/session/work-state.js';
import { ended, live, NOON } from '../../src/testing/samples.js';

const NEVER = Number.POSITIVE_INFINITY;
const lease = { holder: 'worker', seconds: 1, random: 0 };
const worker = { ...lease, attempts: 2, messages: 100, start: 0 };
const turn = { number: 1, start: 0, woken: true as const };

const woken = (state: StateRecord, at: number, now = NOON) =>
  wakeState(state, at, now)._unsafeUnwrap();
const waiting = live('ACTIVE', { work: { wakeAt: NOON } });

const claimed = (state: StateRecord, now = NOON) => {
  const claim = claimState(state, worker, now);
  if (claim?.outcome !== 'claimed') throw new Error('the session cannot be claimed');
  return claim.state;
};
const released = (state: StateRecord, done: boolean, now = NOON) => {
  const fencingToken = state.work.lease?.fencingToken ?? 0;
  return releaseState(state, { fencingToken, done, random: 0 }, now)._unsafeUnwrap();
};

describe('a wake', () => {
  test('changes only the time', () => {
    const state = live('PAUSED', { metadata: { title: 'one' } });
    expect(woken(state, NOON + 5)).toEqual({ ...state, work: { wakeAt: NOON + 5 } });
  });

  test('changes nothing for a session that already waits by then', () => {
    for (const at of [NOON, NOON + 1]) expect(woken(waiting, at)).toBe(waiting);
    expect(woken(waiting, NOON - 1).work.wakeAt).toBe(NOON - 1);
  });

  test('is refused for an ended or overdue session', () => {
    const refusal = { type: 'invalid_transition', status: 'TERMINATED', command: 'wake' };
    for (const state of [ended('failed'), live('ACTIVE', { deadline: NOON })]) {
      expect(wakeState(state, NOON, NOON)._unsafeUnwrapErr()).toMatchObject(refusal);
    }
  });
});

describe('a claim', () => {
  test('replaces the wake by a lease', () => {
    const lease = { holder: 'worker', fencingToken: 1, takenAt: NOON, until: NOON + 1000 };
    expect(claimed(waiting)).toEqual({
      ...waiting,
      work: { attempts: 1, lease: { ...lease, maxAttempts: 2 }, turn, turns: 1 },
    });
  });

  test('keeps everything else, including a later wake', () => {
    const state = live('ACTIVE', {
      work: { lease: { ...claimed(waiting).work.lease, until: NOON - 1000 }, wakeAt: NOON + 9 },
    });
    const labels = { user: 'u-1' };
    const next = claimed({ ...state, labels, metadata: { title: 'one' } });
    expect(next).toMatchObject({ work: { wakeAt: NOON + 9 }, labels, metadata: { title: 'one' } });
  });

  test('is refused if the session does not wait, waits until later, is leased or has ended', () => {
    const { lease } = leaseState(
      live('ACTIVE'),
      { ...worker, holder: 'other' },
      NOON,
    )._unsafeUnwrap().work;
    const states = [
      live('ACTIVE'),
      live('ACTIVE', { work: { wakeAt: NOON + 1 } }),
      live('ACTIVE', { work: { wakeAt: NOON, lease } }),
      live('ACTIVE', { work: { wakeAt: NOON, lease: { ...lease, holder: 'worker' } } }),
      live('ACTIVE', { work: { wakeAt: NOON }, deadline: NOON }),
      ended('failed', { work: { wakeAt: NOON } }),
    ];
    for (const state of states) expect(claimState(state, worker, NOON)).toBeUndefined();
  });

  test('can be repeated after a delay once its lease expired, with the next fencing token', () => {
    const first = claimed(waiting);
    expect(claimState(first, worker, NOON + 1499)).toBeUndefined();
    expect(claimed(first, NOON + 1500).work.lease).toMatchObject({
      fencingToken: 2,
      maxAttempts: 2,
    });
  });

  test('lets the session wait again after a delay if it is released without done', () => {
    const free = released(claimed(waiting), false, NOON + 5);
    expect([free.work.retryAt, free.work.lease?.maxAttempts]).toEqual([NOON + 505, undefined]);
    expect(wakeAtOf(free)).toBe(NOON + 505);
  });

  test('lets the session wait until the earlier of the delay and a wake since, if it is released', () => {
    for (const [at, wakeAt] of [
      [NOON + 50, NOON + 50],
      [NOON + 5000, NOON + 505],
    ] as const) {
      expect(wakeAtOf(released(woken(claimed(waiting), at), false, NOON + 5))).toBe(wakeAt);
    }
  });

  test('keeps the wakes that came after it if it is done', () => {
    expect(wakeAtOf(released(claimed(waiting), true))).toBe(NEVER);
    expect(wakeAtOf(released(woken(claimed(waiting), NOON + 1), true))).toBe(NOON + 1);
  });

  test('continues under a new lease, also of another holder, until its work is done', () => {
    const first = claimed(waiting);
    const same = leaseState(first, worker, NOON + 1)._unsafeUnwrap();
    const next = leaseState(first, { ...worker, holder: 'other' }, NOON + 1000)._unsafeUnwrap();
    for (const { work } of [same, next]) expect(work.lease.maxAttempts).toBe(2);
    expect(wakeAtOf(released(next, true, NOON + 1000))).toBe(NEVER);
  });

  test('survives each change of the status, as do a wake and a failed attempt', () => {
    const failed = released(claimed(waiting), false);
    for (const state of [claimed(waiting), waiting, failed]) {
      for (const [status, command] of [
        ['IDLE', 'start'],
        ['ACTIVE', 'pause'],
        ['PAUSED', 'resume'],
        ['ACTIVE', 'terminate'],
      ] as const) {
        const changed = changeStatus({ ...state, status }, command, { now: NOON })._unsafeUnwrap();
        expect([command, changed.work]).toEqual([command, state.work]);
      }
    }
  });
});

describe('attempts of work', () => {
  /** The state after an attempt that failed, once its delay is over. */
  const failed = (state: StateRecord, now: number) => released(claimed(state, now), false, now);
  const last = claimed(failed(waiting, NOON), NOON + 1000);
  const label = { 'colloquy.work': 'exhausted' };

  test('count the claims since the work was last done', () => {
    expect(last.work.attempts).toBe(2);
    const done = released(last, true, NOON + 1000);
    expect(done.work.attempts).toBeUndefined();
    expect(claimed(woken(done, NOON), NOON + 2000).work.attempts).toBe(1);
  });

  test('exhaust the session when the last one fails', () => {
    const exhausted = released(last, false, NOON + 1000);
    expect([wakeAtOf(exhausted), exhausted.work.attempts, exhausted.labels]).toEqual([
      NEVER,
      undefined,
      label,
    ]);
  });

  test('exhaust the session when the last one ends in a crash, which the next claim finds', () => {
    const claim = claimState(last, worker, NOON + 2000);
    expect(claim?.outcome).toBe('exhausted');
    expect([claim && wakeAtOf(claim.state), claim?.state.labels]).toEqual([NEVER, label]);
  });

  test('continue after a crash with a doubling delay, and count the crash', () => {
    const patient = { ...worker, attempts: 9 };
    let state: StateRecord = waiting;
    let now = NOON;
    for (const [attempts, delay] of [0, 500, 1000, 2000, 4000].entries()) {
      now += attempts === 0 ? 0 : 1000 + delay;
      if (attempts > 0) expect(claimState(state, patient, now - 1)).toBeUndefined();
      const claim = claimState(state, patient, now);
      expect(claim?.outcome === 'claimed' && claim.attempt).toBe(attempts + 1);
      if (claim !== undefined) state = claim.state;
    }
  });

  test('after a crash come at different times, by the random fencing tokens', () => {
    const times = [0, 0.25, 0.5, 0.75, 0.999].map((random) => {
      const claim = claimState(waiting, { ...worker, random }, NOON);
      return claim && wakeAtOf(claim.state) - NOON - 1000;
    });
    expect(times).toEqual([500, 625, 750, 875, 1000]);
  });

  test('continue immediately after a crash if the session was woken since', () => {
    expect(wakeAtOf(woken(claimed(waiting), NOON + 1))).toBe(NOON + 1000);
  });

  test('restart if the session was woken during the last one', () => {
    const free = released(woken(last, NOON + 1000), false, NOON + 1000);
    expect([free.work.attempts, free.labels, wakeAtOf(free)]).toEqual([
      undefined,
      undefined,
      NOON + 1000,
    ]);
    const crashed = woken(last, NOON + 1000);
    expect(claimed(crashed, NOON + 2000).work).toMatchObject({ attempts: 1 });
  });

  test('restart with a wake after the last one, and the label goes', () => {
    const again = claimed(woken(released(last, false, NOON + 1000), NOON), NOON + 2000);
    expect([again.work.attempts, again.labels]).toEqual([1, undefined]);
  });

  test('keep the labels of the host', () => {
    const labels = { user: 'u-1' };
    const exhausted = released({ ...last, labels }, false, NOON + 1000);
    expect(exhausted.labels).toEqual({ ...label, ...labels });
    expect(claimed(woken(exhausted, NOON), NOON + 2000).labels).toEqual(labels);
  });
});

describe('a wake for a later time', () => {
  test('outlives a failed attempt, a crash and finished work', () => {
    const later = NOON + 60_000;
    const first = woken(claimed(waiting), later);
    const second = claimed(released(first, false), NOON + 1000);
    const afterCrash = claimed(first, NOON + 1500);
    for (const state of [second, released(second, true, NOON + 1000), afterCrash])
      expect(state.work.wakeAt).toBe(later);
  });

  test('does not hide a failure or a crash in the last attempt', () => {
    const later = NOON + 60_000;
    const last = woken(
      { ...claimed(waiting), work: { ...claimed(waiting).work, attempts: 2 } },
      later,
    );
    const crashed = claimState(last, worker, NOON + 1000);
    expect(crashed?.outcome).toBe('exhausted');
    for (const state of [released(last, false), crashed?.state ?? last]) {
      expect(state.labels).toEqual({ 'colloquy.work': 'exhausted' });
      expect([wakeAtOf(state), state.work.attempts]).toEqual([later, undefined]);
      expect(claimed(state, later)).toMatchObject({ work: { attempts: 1 } });
    }
  });
});

describe('a cancel', () => {
  const cancelled = (state: StateRecord, now = NOON) =>
    cancelState(state, { reason: 'enough' }, now)._unsafeUnwrap();

  const long = { ...worker, seconds: 60 };
  const running = claimState(waiting, long, NOON)?.state ?? waiting;

  test('keeps the lease of a turn for five seconds of last words, and ends the wait for a worker', () => {
    const after = cancelled(running);
    const until = NOON + LAST_WORDS_MS;
    expect(after.work.lease).toMatchObject({ until, cancelled: { reason: 'enough' } });
    expect(wakeAtOf(after)).toBe(NEVER);
    expect(claimState(woken(after, NOON), worker, until - 1)).toBeUndefined();
    const { work } = released(after, false, until - 1);
    expect([work.turn, work.attempts, work.lease?.maxAttempts]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  test('never extends a lease', () => {
    expect(cancelled(claimed(waiting)).work.lease?.until).toBe(NOON + 1000);
  });

  test('ends a lease without a turn immediately', () => {
    const leased = leaseState(live('ACTIVE'), worker, NOON)._unsafeUnwrap();
    expect(cancelled(leased).work.lease).toMatchObject({ until: 0, releasedAt: NOON });
  });

  test('is reported to the holder of the lease, and not to a later holder', () => {
    const after = cancelled(running);
    const token = { fencingToken: 1, seconds: 1 };
    const late = NOON + LAST_WORDS_MS;
    for (const result of [
      renewState(after, token, NOON),
      releaseState(after, { fencingToken: 1, done: true, random: 0 }, late),
    ]) {
      expect(result._unsafeUnwrapErr()).toMatchObject({
        type: 'cancelled',
        fencingToken: 1,
        reason: 'enough',
      });
    }
    const over = changeStatus(after, 'terminate', { now: NOON })._unsafeUnwrap();
    expect(renewState(over, token, NOON)._unsafeUnwrapErr()).toMatchObject({ type: 'cancelled' });
    const next = claimed(woken(after, NOON), late);
    expect(next.work.lease.cancelled).toBeUndefined();
    expect(renewState(next, token, late)._unsafeUnwrapErr()).toMatchObject({ type: 'lease_lost' });
  });

  test('also clears an unclaimed wake, and a claim whose worker crashed', () => {
    expect(cancelled(live('IDLE', { work: { wakeAt: NOON + 9 } }))).toEqual(live('IDLE'));
    expect(wakeAtOf(cancelled(claimed(waiting), NOON + 5000))).toBe(NEVER);
  });

  test('changes nothing if there is nothing to cancel', () => {
    const done = released(claimed(waiting), true);
    for (const state of [live('ACTIVE'), done, cancelled(claimed(waiting))])
      expect(cancelled(state)).toBe(state);
  });

  test('is refused for an ended session', () => {
    expect(
      cancelState(ended('failed'), { reason: undefined }, NOON)._unsafeUnwrapErr(),
    ).toMatchObject({
      command: 'cancel',
    });
  });
});

describe('the release of a lease without a claim', () => {
  test('lets the session wait for no worker, with or without done', () => {
    const leased = leaseState(live('ACTIVE'), worker, NOON)._unsafeUnwrap();
    for (const done of [true, false]) expect(wakeAtOf(released(leased, done))).toBe(NEVER);
  });
});
