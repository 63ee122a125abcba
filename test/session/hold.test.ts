import { describe, expect, test } from 'vitest';
import { holdAt, holdState, isHeldWith, releaseState, sessionHoldOf } from '../../src/session/hold.js';
import type { StateRecord } from '../../src/session/session-record.js';
import { advance, initialState } from '../../src/session/timeline.js';
import { NOON } from '../support/manual-clock.js';

const FOREVER = Number.POSITIVE_INFINITY;

const fresh = initialState(FOREVER, { now: NOON, idleTimeoutMs: FOREVER });

const held = (state: StateRecord, holder: string, atMs: number, durationMs = 1000) =>
  holdState(state, { holder, durationMs }, NOON + atMs)._unsafeUnwrap();

const released = (state: StateRecord, fence: number, atMs: number) =>
  releaseState(state, fence, NOON + atMs)._unsafeUnwrap();

describe('a hold', () => {
  const first = held(fresh, 'a', 0);

  test('changes the revision and the hold alone', () => {
    expect(first).toEqual({ ...fresh, revision: 2, hold: { holder: 'a', fence: 1, until: NOON + 1000 } });
  });

  test('is current from the moment it is taken to the millisecond before its end', () => {
    const hold = { holder: 'a', fence: 1, until: '2026-01-31T12:00:01.000Z' };
    expect(sessionHoldOf(first.hold)).toEqual(hold);
    expect([0, 999, 1000].map((ms) => holdAt(first, NOON + ms))).toEqual([hold, hold, undefined]);
    expect([0, 999, 1000].map((ms) => isHeldWith(first, 1, NOON + ms))).toEqual([true, true, false]);
    expect([0, 2].map((fence) => isHeldWith(first, fence, NOON))).toEqual([false, false]);
  });

  test('of a session that nobody has held is none', () => {
    expect(holdAt(fresh, NOON)).toBeUndefined();
    expect(isHeldWith(fresh, 0, NOON)).toBe(false);
  });

  test('lasts for a clock that was set back', () => {
    expect(isHeldWith(first, 1, NOON - 3_600_000)).toBe(true);
  });

  test('keeps its fence while its holder extends it, also to an earlier end', () => {
    expect(held(first, 'a', 999).hold).toEqual({ holder: 'a', fence: 1, until: NOON + 1999 });
    expect(held(first, 'a', 500, 100).hold).toEqual({ holder: 'a', fence: 1, until: NOON + 600 });
  });

  test('has the next fence once the last has run out, whoever takes it', () => {
    expect(held(first, 'a', 1000).hold).toEqual({ holder: 'a', fence: 2, until: NOON + 2000 });
    expect(held(first, 'b', 1000).hold).toEqual({ holder: 'b', fence: 2, until: NOON + 2000 });
  });

  test('of another is refused until then, with the name and the end of the current one', () => {
    expect(holdState(first, { holder: 'b', durationMs: 1 }, NOON + 999)._unsafeUnwrapErr()).toEqual({
      type: 'held',
      message: 'a holds the session until 2026-01-31T12:00:01.000Z',
      holder: 'a',
      until: '2026-01-31T12:00:01.000Z',
    });
  });

  test('goes through changes of the status', () => {
    const active = advance(first, 'start', { now: NOON, idleTimeoutMs: FOREVER })._unsafeUnwrap();
    expect(active.hold).toEqual(first.hold);
  });

  test('of a session that has ended, also by the clock alone, is refused', () => {
    const refused = { type: 'invalid_transition', status: 'TERMINATED', command: 'hold' };
    const over = advance(fresh, 'terminate', { now: NOON, idleTimeoutMs: FOREVER })._unsafeUnwrap();
    expect(holdState(over, { holder: 'a', durationMs: 1 }, NOON)._unsafeUnwrapErr()).toMatchObject(refused);
    const idle = initialState(FOREVER, { now: NOON, idleTimeoutMs: 50 });
    expect(holdState(idle, { holder: 'a', durationMs: 1 }, NOON + 50)._unsafeUnwrapErr()).toMatchObject(refused);
    expect(held(idle, 'a', 49).deadline).toBe(NOON + 50);
  });
});

describe('a release', () => {
  const first = held(fresh, 'a', 0);

  test('ends the hold at once, for every clock, and keeps the fence for the next one', () => {
    const free = released(first, 1, 500);
    expect(free).toEqual({ ...first, revision: 3, hold: { holder: 'a', fence: 1, until: 0 } });
    expect(isHeldWith(free, 1, 0)).toBe(false);
    expect(held(free, 'a', 500).hold.fence).toBe(2);
  });

  test('of a hold that is over already changes nothing', () => {
    const free = released(first, 1, 500);
    expect(released(free, 1, 500)).toBe(free);
    expect(released(first, 1, 1000)).toBe(first);
  });

  test('with another fence than that of the latest hold is not_holder', () => {
    const second = held(first, 'b', 1000);
    for (const [state, fence] of [
      [fresh, 1],
      [first, 2],
      [second, 1],
    ] as const) {
      expect(releaseState(state, fence, NOON + 1000)._unsafeUnwrapErr()).toMatchObject({ type: 'not_holder', fence });
    }
  });
});
