import { describe, expect, test } from 'vitest';
import { changeStatus } from '../../src/session/change-status.js';
import { initialState } from '../../src/session/initial-state.js';
import {
  isLeasedWith,
  leaseAt,
  leaseState,
  releaseState,
  renewState,
  sessionLeaseOf,
} from '../../src/session/lease-state.js';
import type { StateRecord } from '../../src/session/session-record.js';
import { noTerms } from '../../src/testing/samples.js';
import { NOON } from '../support/manual-clock.js';

const FOREVER = Number.POSITIVE_INFINITY;

const fresh = initialState({ limitMs: FOREVER, terms: noTerms, revision: 7, now: NOON });

const leased = (state: StateRecord, holder: string, atMs: number, durationMs = 1000) =>
  leaseState(state, { holder, seconds: durationMs / 1000, random: 0 }, NOON + atMs)._unsafeUnwrap();

/** A leased session that was never started: its idle timeout ends it after 50 ms. */
const idle = leased(
  initialState({
    limitMs: FOREVER,
    terms: { ...noTerms, idleTimeoutMs: 50 },
    revision: 7,
    now: NOON,
  }),
  'a',
  0,
);

const released = (state: StateRecord, fencingToken: number, atMs: number) =>
  releaseState(state, { fencingToken, done: false, random: 0 }, NOON + atMs)._unsafeUnwrap();

describe('a lease', () => {
  const first = leased(fresh, 'a', 0);

  test('changes only the lease', () => {
    expect(first).toEqual({
      ...fresh,
      work: { lease: { holder: 'a', fencingToken: 1, takenAt: NOON, until: NOON + 1000 } },
    });
  });

  test('is current from its first millisecond to the one before its end', () => {
    const lease = { holder: 'a', fencingToken: 1, until: '2026-01-31T12:00:01.000Z' };
    expect(sessionLeaseOf(first.work.lease)).toEqual(lease);
    expect([0, 999, 1000].map((ms) => leaseAt(first, NOON + ms))).toEqual([
      lease,
      lease,
      undefined,
    ]);
    expect([0, 999, 1000].map((ms) => isLeasedWith(first, 1, NOON + ms))).toEqual([
      true,
      true,
      false,
    ]);
    expect([0, 2].map((fencingToken) => isLeasedWith(first, fencingToken, NOON))).toEqual([
      false,
      false,
    ]);
  });

  test('does not exist for a session that was never leased', () => {
    expect(leaseAt(fresh, NOON)).toBeUndefined();
    expect(isLeasedWith(fresh, 0, NOON)).toBe(false);
  });

  test('survives a clock that is set back', () => {
    expect(isLeasedWith(first, 1, NOON - 3_600_000)).toBe(true);
  });

  test('replaces the current one of the same holder, with the next fencing token', () => {
    expect(leased(first, 'a', 999).work.lease).toEqual({
      holder: 'a',
      fencingToken: 2,
      takenAt: NOON + 999,
      until: NOON + 1999,
    });
    expect(leased(first, 'a', 500, 100).work.lease).toEqual({
      holder: 'a',
      fencingToken: 2,
      takenAt: NOON + 500,
      until: NOON + 600,
    });
  });

  test('has the next fencing token once the last one expired, for any holder', () => {
    expect(leased(first, 'a', 1000).work.lease).toEqual({
      holder: 'a',
      fencingToken: 2,
      takenAt: NOON + 1000,
      until: NOON + 2000,
    });
    expect(leased(first, 'b', 1000).work.lease).toEqual({
      holder: 'b',
      fencingToken: 2,
      takenAt: NOON + 1000,
      until: NOON + 2000,
    });
  });

  test("is refused during another holder's, with the current holder and end", () => {
    expect(
      leaseState(first, { holder: 'b', seconds: 0.001, random: 0 }, NOON + 999)._unsafeUnwrapErr(),
    ).toEqual({
      type: 'leased',
      message: 'a has leased the session until 2026-01-31T12:00:01.000Z',
      holder: 'a',
      until: '2026-01-31T12:00:01.000Z',
    });
  });

  test('survives changes of the status', () => {
    const active = changeStatus(first, 'start', { now: NOON })._unsafeUnwrap();
    expect(active.work.lease).toEqual(first.work.lease);
  });

  test('is refused for an ended or overdue session', () => {
    const refused = { type: 'invalid_transition', status: 'TERMINATED', command: 'lease' };
    const over = changeStatus(fresh, 'terminate', { now: NOON })._unsafeUnwrap();
    expect(
      leaseState(over, { holder: 'a', seconds: 0.001, random: 0 }, NOON)._unsafeUnwrapErr(),
    ).toMatchObject(refused);
    const idle = initialState({
      limitMs: FOREVER,
      terms: { ...noTerms, idleTimeoutMs: 50 },
      revision: 7,
      now: NOON,
    });
    expect(
      leaseState(idle, { holder: 'a', seconds: 0.001, random: 0 }, NOON + 50)._unsafeUnwrapErr(),
    ).toMatchObject(refused);
    expect(leased(idle, 'a', 49).deadline).toBe(NOON + 50);
  });
});

describe('a renewal', () => {
  const first = leased(fresh, 'a', 0);
  const renewed = (state: StateRecord, fencingToken: number, atMs: number, durationMs = 1000) =>
    renewState(state, { fencingToken, seconds: durationMs / 1000 }, NOON + atMs);

  test('moves only the end, also to an earlier time', () => {
    const lease = { ...first.work.lease, until: NOON + 1999 };
    const later = { ...first, work: { lease } };
    expect(renewed(first, 1, 999)._unsafeUnwrap()).toEqual(later);
    expect(renewed(first, 1, 500, 100)._unsafeUnwrap().work.lease.until).toBe(NOON + 600);
  });

  test('fails with lease_lost for an expired, released, foreign or missing lease', () => {
    for (const [state, fencingToken, atMs] of [
      [first, 1, 1000],
      [released(first, 1, 500), 1, 500],
      [leased(first, 'a', 500), 1, 500],
      [first, 2, 500],
      [fresh, 1, 0],
    ] as const) {
      expect(renewed(state, fencingToken, atMs)._unsafeUnwrapErr()).toMatchObject({
        type: 'lease_lost',
        fencingToken,
      });
    }
  });

  test('fails with invalid_transition for an ended or overdue session', () => {
    const over = changeStatus(first, 'terminate', { now: NOON })._unsafeUnwrap();
    expect(renewed(over, 1, 1)._unsafeUnwrapErr()).toMatchObject({
      type: 'invalid_transition',
      command: 'lease',
    });
    expect(renewed(over, 2, 1)._unsafeUnwrapErr().type).toBe('lease_lost');
    expect(renewed(idle, 1, 49).isOk()).toBe(true);
    expect(renewed(idle, 1, 50)._unsafeUnwrapErr().type).toBe('invalid_transition');
  });
});

describe('a release', () => {
  const first = leased(fresh, 'a', 0);

  test('ends the lease immediately on every clock, and keeps the fencing token for the next one', () => {
    const free = released(first, 1, 500);
    const lease = { ...first.work.lease, until: 0, releasedAt: NOON + 500 };
    expect(free).toEqual({ ...first, work: { lease } });
    expect(isLeasedWith(free, 1, 0)).toBe(false);
    expect(leased(free, 'a', 500).work.lease.fencingToken).toBe(2);
  });

  test('changes nothing after the lease expired', () => {
    const free = released(first, 1, 500);
    expect(released(free, 1, 500)).toBe(free);
    expect(released(first, 1, 1000)).toBe(first);
  });

  test('changes nothing after the session ended', () => {
    const over = changeStatus(first, 'terminate', { now: NOON })._unsafeUnwrap();
    expect(released(over, 1, 1)).toBe(over);
    expect(released(idle, 1, 50)).toBe(idle);
  });

  test('fails with lease_lost for a fencing token other than the latest', () => {
    const second = leased(first, 'b', 1000);
    for (const [state, fencingToken] of [
      [fresh, 1],
      [first, 2],
      [second, 1],
    ] as const) {
      expect(
        releaseState(
          state,
          { fencingToken, done: false, random: 0 },
          NOON + 1000,
        )._unsafeUnwrapErr(),
      ).toMatchObject({
        type: 'lease_lost',
        fencingToken,
      });
    }
  });
});
