import { describe, expect, test } from 'vitest';
import { changeStatus } from '../../src/session/change-status.js';
import { acceptsHistoryUntil } from '../../src/session/grace-period.js';
import { initialState } from '../../src/session/initial-state.js';
import { REMEMBERED_OPERATIONS, type StateRecord } from '../../src/session/session-record.js';
import type { StatusCommand } from '../../src/session/session-status.js';
import { activeMsAt, stateAt } from '../../src/session/time-limits.js';
import { noTerms } from '../../src/testing/samples.js';
import { NOON } from '../support/manual-clock.js';

const FOREVER = Number.POSITIVE_INFINITY;

/** A command, and when it comes, in milliseconds after noon. */
type Step = readonly [command: StatusCommand, atMs: number];

const create = (limitMs = FOREVER, idleTimeoutMs = FOREVER): StateRecord =>
  initialState({ limitMs, terms: { ...noTerms, idleTimeoutMs }, revision: 7, now: NOON });

const driven = (state: StateRecord, steps: readonly Step[]): StateRecord =>
  steps.reduce(
    (current, [command, atMs]) =>
      changeStatus(current, command, { now: NOON + atMs })._unsafeUnwrap(),
    state,
  );

const refused = (state: StateRecord, command: StatusCommand, atMs: number) =>
  changeStatus(state, command, { now: NOON + atMs })._unsafeUnwrapErr();

describe('a new session', () => {
  test('is IDLE, and has used no time', () => {
    expect(create()).toEqual({
      status: 'IDLE',
      revision: 7,
      since: NOON,
      lastActivityAt: NOON,
      activeMs: 0,
      limitMs: FOREVER,
      deadline: FOREVER,
      operations: [],
      terms: noTerms,
      work: {},
    });
  });

  test('stays IDLE forever, whatever its limit', () => {
    expect(stateAt(create(1), NOON + 1e12).status).toBe('IDLE');
    expect(activeMsAt(create(1), NOON + 1e12)).toBe(0);
  });
});

describe('the used time', () => {
  test('counts while ACTIVE, and stands still while PAUSED', () => {
    const active = driven(create(), [['start', 1000]]);
    expect(activeMsAt(active, NOON + 1000)).toBe(0);
    expect(activeMsAt(active, NOON + 3500)).toBe(2500);
    const paused = driven(active, [['pause', 3500]]);
    expect(activeMsAt(paused, NOON + 9999)).toBe(2500);
    const resumed = driven(paused, [['resume', 10_000]]);
    expect(activeMsAt(resumed, NOON + 10_001)).toBe(2501);
    const over = driven(resumed, [['terminate', 10_700]]);
    expect(activeMsAt(over, NOON + 99_999)).toBe(3200);
  });

  test('adds up over many pauses, to the millisecond', () => {
    const steps = Array.from({ length: 100 }, (_, round): Step[] => [
      [round === 0 ? 'start' : 'resume', round * 10],
      ['pause', round * 10 + 7],
    ]);
    expect(activeMsAt(driven(create(), steps.flat()), NOON + 5000)).toBe(700);
  });

  test('never exceeds the limit', () => {
    const active = driven(create(500), [['start', 0]]);
    expect([499, 500, 501, 1e9].map((ms) => activeMsAt(active, NOON + ms))).toEqual([
      499, 500, 500, 500,
    ]);
  });
});

describe('the time limit', () => {
  test('ends the session in the millisecond in which it is used up', () => {
    const active = driven(create(500), [['start', 100]]);
    expect(stateAt(active, NOON + 599)).toBe(active);
    expect(stateAt(active, NOON + 600)).toEqual({
      status: 'TERMINATED',
      endReason: 'time_limit',
      revision: 7,
      since: NOON + 600,
      startedAt: NOON + 100,
      lastActivityAt: NOON + 600,
      activeMs: 500,
      limitMs: 500,
      deadline: FOREVER,
      operations: [],
      terms: noTerms,
      work: {},
    });
  });

  test('leads to the same end, however late it is noticed', () => {
    const active = driven(create(500), [['start', 100]]);
    const end = stateAt(active, NOON + 600);
    for (const later of [601, 10_000, 1e12]) {
      expect(stateAt(active, NOON + later)).toEqual(end);
      expect(stateAt(end, NOON + later)).toBe(end);
    }
  });

  test('leaves the rest after a pause', () => {
    const resumed = driven(create(500), [
      ['start', 0],
      ['pause', 200],
      ['resume', 10_000],
    ]);
    expect(resumed.deadline).toBe(NOON + 10_300);
    expect(stateAt(resumed, NOON + 10_299).status).toBe('ACTIVE');
    expect(stateAt(resumed, NOON + 10_300)).toMatchObject({
      endReason: 'time_limit',
      activeMs: 500,
    });
  });

  test('cannot run out while PAUSED, even with a millisecond left', () => {
    const paused = driven(create(500), [
      ['start', 0],
      ['pause', 499],
    ]);
    expect(stateAt(paused, NOON + 1e12)).toBe(paused);
    const resumed = driven(paused, [['resume', 1e6]]);
    expect(stateAt(resumed, NOON + 1e6).status).toBe('ACTIVE');
    expect(stateAt(resumed, NOON + 1e6 + 1).status).toBe('TERMINATED');
  });

  test('has run out for a command in that millisecond', () => {
    const active = driven(create(500), [['start', 0]]);
    expect(driven(active, [['pause', 499]]).status).toBe('PAUSED');
    expect(refused(active, 'pause', 500)).toMatchObject({
      type: 'invalid_transition',
      status: 'TERMINATED',
    });
    expect(driven(active, [['terminate', 500]])).toEqual(stateAt(active, NOON + 500));
    expect(refused(active, 'fail', 500)).toMatchObject({ status: 'TERMINATED' });
  });

  test('only ends a session that has not ended otherwise', () => {
    const failed = driven(create(500), [
      ['start', 0],
      ['fail', 499],
    ]);
    expect(stateAt(failed, NOON + 501)).toMatchObject({ endReason: 'failed', activeMs: 499 });
  });
});

describe('a session that has ended', () => {
  test('keeps its end, whatever deadline its store has kept', () => {
    const over: StateRecord = { ...driven(create(), [['terminate', 100]]), deadline: NOON + 200 };
    expect(stateAt(over, NOON + 300)).toBe(over);
  });
});

describe('the idle timeout', () => {
  const idle = () => create(500, 1000);

  test('ends a session that is never started', () => {
    expect(stateAt(idle(), NOON + 999).status).toBe('IDLE');
    expect(stateAt(idle(), NOON + 1000)).toMatchObject({
      status: 'TERMINATED',
      endReason: 'idle_timeout',
      since: NOON + 1000,
      activeMs: 0,
    });
    expect(refused(idle(), 'start', 1000)).toMatchObject({
      status: 'TERMINATED',
      command: 'start',
    });
  });

  test('ends a session that is not resumed, but not an ACTIVE one', () => {
    const active = driven(create(FOREVER, 1000), [['start', 999]]);
    expect(stateAt(active, NOON + 1e9)).toBe(active);
    const paused = driven(active, [['pause', 5000]]);
    expect(stateAt(paused, NOON + 5999).status).toBe('PAUSED');
    expect(stateAt(paused, NOON + 6000)).toMatchObject({
      endReason: 'idle_timeout',
      since: NOON + 6000,
    });
    expect(activeMsAt(stateAt(paused, NOON + 6000), NOON + 9000)).toBe(4001);
  });

  test('starts again with every pause', () => {
    const steps: readonly Step[] = [
      ['start', 0],
      ['pause', 100],
      ['resume', 1099],
      ['pause', 1100],
    ];
    const paused = driven(create(FOREVER, 1000), steps);
    expect(paused.deadline).toBe(NOON + 2100);
  });
});

describe('a clock that is set back', () => {
  test('reduces no time that was used before', () => {
    const resumed = driven(create(), [
      ['start', 0],
      ['pause', 2000],
      ['resume', 5000],
    ]);
    for (const earlier of [4999, 0, -1e9]) expect(activeMsAt(resumed, NOON + earlier)).toBe(2000);
  });

  test('never makes the used time negative', () => {
    const active = driven(create(), [['start', 1000]]);
    expect(activeMsAt(active, NOON - 1e9)).toBe(0);
    expect(activeMsAt(driven(active, [['pause', -5000]]), NOON)).toBe(0);
  });
});

describe('a change of the state', () => {
  test('leaves the previous state as it was', () => {
    const before = create(500);
    const copy = structuredClone(before);
    driven(before, [['start', 5]]);
    expect(before).toEqual(copy);
  });

  test('remembers the latest operation ids, up to a maximum', () => {
    let state = changeStatus(create(), 'start', { now: NOON, operationId: 'op-0' })._unsafeUnwrap();
    for (let round = 1; round <= REMEMBERED_OPERATIONS + 5; round += 1) {
      const command = state.status === 'ACTIVE' ? 'pause' : 'resume';
      state = changeStatus(state, command, {
        now: NOON,
        operationId: `op-${round}`,
      })._unsafeUnwrap();
    }
    expect(state.operations).toHaveLength(REMEMBERED_OPERATIONS);
    expect(state.operations[0]).toBe(`pause:op-${REMEMBERED_OPERATIONS + 5}`);
    expect(state.operations.at(-1)).toBe('resume:op-6');
    expect(driven(state, [['terminate', 0]]).operations).toEqual(state.operations);
  });

  test('rejects an expiry if the session is not overdue', () => {
    const active = driven(create(), [['start', 0]]);
    expect(driven(active, [['expire', 5]])).toMatchObject({ endReason: 'time_limit' });
    expect(refused(create(), 'expire', 5)).toMatchObject({ status: 'IDLE', command: 'expire' });
  });
});

describe('history', () => {
  test('is accepted until the deadline while ACTIVE or PAUSED, and not otherwise', () => {
    const idle = create(500, 1000);
    const active = driven(idle, [['start', 0]]);
    const paused = driven(active, [['pause', 100]]);
    const over = driven(paused, [['terminate', 200]]);
    expect([idle, active, paused, over].map(acceptsHistoryUntil)).toEqual([
      0,
      NOON + 500,
      NOON + 1100,
      0,
    ]);
    expect(acceptsHistoryUntil(driven(create(), [['start', 0]]))).toBe(FOREVER);
  });
});
