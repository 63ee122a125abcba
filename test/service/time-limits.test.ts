import type { ResultAsync } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { SessionService } from '../../src/service/session-service.js';
import type { SessionError } from '../../src/session/errors.js';
import { ManualClock } from '../support/manual-clock.js';
import { createdIn, errorOf, okOf, openSessions, startedIn } from '../support/sessions.js';

describe('the duration of a session', () => {
  test('is in whole seconds, rounded down', async () => {
    const { sessions, clock } = openSessions();
    const id = await startedIn(sessions);
    const durations: number[] = [];
    for (const ms of [0, 999, 1, 999, 1]) {
      clock.pass(ms);
      durations.push((await okOf(sessions.get(id))).duration);
    }
    expect(durations).toEqual([0, 0, 1, 1, 2]);
  });

  test('adds up the milliseconds of many short turns', async () => {
    const { sessions, clock } = openSessions();
    const id = await startedIn(sessions);
    for (let round = 0; round < 10; round += 1) {
      clock.pass(150);
      await okOf(sessions.pause(id));
      clock.pass(9000);
      await okOf(sessions.resume(id));
    }
    expect((await okOf(sessions.get(id))).duration).toBe(1);
    clock.pass(500);
    expect((await okOf(sessions.get(id))).duration).toBe(2);
  });

  test('never shrinks while the clock is set back, and grows again when it has caught up', async () => {
    const { sessions, clock } = openSessions();
    const id = await startedIn(sessions, { timeLimit: 10 });
    clock.pass(3000);
    expect((await okOf(sessions.get(id))).duration).toBe(3);
    clock.pass(-2_000_000);
    expect((await okOf(sessions.get(id))).duration).toBe(3);
    expect(await okOf(sessions.pause(id))).toMatchObject({ status: 'PAUSED', duration: 3 });
    expect(await okOf(sessions.resume(id))).toMatchObject({ status: 'ACTIVE', duration: 3 });
    clock.pass(2_000_000 - 1);
    expect((await okOf(sessions.get(id))).duration).toBe(3);
    clock.pass(1 + 6999);
    expect(await okOf(sessions.get(id))).toMatchObject({ status: 'ACTIVE', duration: 9 });
    clock.pass(1);
    expect(await okOf(sessions.get(id))).toMatchObject({
      status: 'TERMINATED',
      endReason: 'time_limit',
      duration: 10,
    });
    clock.pass(-5000);
    expect(await okOf(sessions.get(id))).toMatchObject({ status: 'TERMINATED', duration: 10 });
  });

  test('never shrinks in another process whose clock is behind', async () => {
    const { sessions, store, clock } = openSessions();
    const behind = new ManualClock();
    behind.pass(-60_000);
    const others = new SessionService({ store, clock: behind });
    const id = await startedIn(sessions);
    clock.pass(2500);
    await okOf(sessions.pause(id));
    expect(await okOf(others.get(id))).toMatchObject({ status: 'PAUSED', duration: 2 });
    expect(await okOf(others.resume(id))).toMatchObject({ status: 'ACTIVE', duration: 2 });
    expect(await okOf(others.pause(id))).toMatchObject({ duration: 2 });
    await okOf(sessions.resume(id));
    expect(await okOf(others.get(id))).toMatchObject({ status: 'ACTIVE', duration: 2 });
    expect(await okOf(others.terminate(id))).toMatchObject({ duration: 2 });
  });
});

describe('the time limit', () => {
  test('ends the session in its millisecond, without a write', async () => {
    const { sessions, store, clock } = openSessions();
    const id = await startedIn(sessions, { timeLimit: 2.5 });
    clock.pass(2499);
    expect(await okOf(sessions.get(id))).toMatchObject({ status: 'ACTIVE', duration: 2 });
    clock.pass(1);
    expect(await okOf(sessions.get(id))).toMatchObject({
      status: 'TERMINATED',
      endReason: 'time_limit',
      duration: 2,
    });
    expect((await okOf(sessions.list())).sessions[0]).toMatchObject({
      status: 'TERMINATED',
      endReason: 'time_limit',
    });
    const stored = await store.findState({ tenant: 'default', id });
    expect(stored._unsafeUnwrap()?.status).toBe('ACTIVE');
  });

  test('never ends the session if it is 0', async () => {
    const { sessions, clock } = openSessions();
    const id = await startedIn(sessions, { timeLimit: 0 });
    clock.pass(1e12);
    expect(await okOf(sessions.get(id))).toMatchObject({ status: 'ACTIVE', duration: 1e9 });
  });

  test('is at least a millisecond, however small the fraction', async () => {
    const { sessions, clock } = openSessions();
    const id = await startedIn(sessions, { timeLimit: 1e-9 });
    expect((await okOf(sessions.get(id))).status).toBe('ACTIVE');
    clock.pass(1);
    expect(await okOf(sessions.get(id))).toMatchObject({
      status: 'TERMINATED',
      endReason: 'time_limit',
    });
  });

  test('does not run before the start or while paused', async () => {
    const { sessions, clock } = openSessions();
    const id = await createdIn(sessions, { timeLimit: 5 });
    clock.pass(1e9);
    expect(await okOf(sessions.start(id))).toMatchObject({ status: 'ACTIVE', duration: 0 });
    clock.pass(4999);
    await okOf(sessions.pause(id));
    clock.pass(1e9);
    expect(await okOf(sessions.get(id))).toMatchObject({ status: 'PAUSED', duration: 4 });
    expect(await okOf(sessions.resume(id))).toMatchObject({ status: 'ACTIVE', duration: 4 });
    clock.pass(1);
    expect(await okOf(sessions.get(id))).toMatchObject({
      status: 'TERMINATED',
      endReason: 'time_limit',
      duration: 5,
    });
  });

  test('rejects commands once it is used up, and accepts a terminate', async () => {
    const { sessions, clock } = openSessions();
    const id = await startedIn(sessions, { timeLimit: 1 });
    clock.pass(1000);
    for (const command of ['pause', 'resume', 'start', 'fail'] as const) {
      expect(await errorOf(sessions[command](id))).toMatchObject({
        type: 'invalid_transition',
        status: 'TERMINATED',
        command,
      });
    }
    expect(
      await errorOf(sessions.append(id, [{ role: 'user', content: 'too late' }])),
    ).toMatchObject({
      type: 'invalid_transition',
      status: 'TERMINATED',
      command: 'append',
    });
    expect(await okOf(sessions.terminate(id))).toMatchObject({
      id,
      status: 'TERMINATED',
      endReason: 'time_limit',
      duration: 1,
    });
  });
});

describe('the idle timeout', () => {
  test('is off by default', async () => {
    const { sessions, clock } = openSessions();
    const id = await createdIn(sessions);
    clock.pass(1e12);
    expect((await okOf(sessions.get(id))).status).toBe('IDLE');
  });

  test('ends a session that is never started', async () => {
    const { sessions, clock } = openSessions({ idleTimeout: 60 });
    const id = await createdIn(sessions);
    clock.pass(59_999);
    expect((await okOf(sessions.get(id))).status).toBe('IDLE');
    clock.pass(1);
    expect(await okOf(sessions.get(id))).toMatchObject({
      status: 'TERMINATED',
      endReason: 'idle_timeout',
      duration: 0,
    });
    expect(await errorOf(sessions.start(id))).toMatchObject({
      type: 'invalid_transition',
      status: 'TERMINATED',
    });
    expect(await okOf(sessions.terminate(id))).toMatchObject({ endReason: 'idle_timeout' });
  });

  test('ends a session that is not resumed, but never an ACTIVE one', async () => {
    const { sessions, clock } = openSessions({ idleTimeout: 60 });
    const id = await startedIn(sessions);
    clock.pass(1e6);
    expect(await okOf(sessions.pause(id))).toMatchObject({ status: 'PAUSED', duration: 1000 });
    clock.pass(59_999);
    await okOf(sessions.append(id, [{ role: 'user', content: 'the last words' }]));
    clock.pass(1);
    expect(
      await errorOf(sessions.append(id, [{ role: 'user', content: 'too late' }])),
    ).toMatchObject({
      status: 'TERMINATED',
      command: 'append',
    });
    expect(await okOf(sessions.get(id))).toMatchObject({
      endReason: 'idle_timeout',
      duration: 1000,
    });
  });
});

describe('an invalid clock', () => {
  const broken = (): number => {
    throw new Error('stopped');
  };

  test.for<[string, () => number]>([
    ['throws', broken],
    ['gives NaN', () => Number.NaN],
    ['gives infinity', () => Number.POSITIVE_INFINITY],
    ['is before 1970', () => -1],
    ['is after 9999', () => 253_402_300_800_000],
  ])('fails every call with misconfigured if it %s', async ([, now]) => {
    const { sessions: before, store } = openSessions();
    const id = await startedIn(before);
    const stored = await store.find({ tenant: 'default', id });
    const { sessions } = openSessions({ store, clock: { now } });
    const operations: readonly ResultAsync<unknown, SessionError>[] = [
      sessions.create({ face: 'ada', profile: 'tutor' }),
      sessions.append(id, [{ role: 'user', content: 'hello' }]),
      sessions.list(),
      sessions.get(id),
      sessions.pause(id),
    ];
    for (const operation of operations) {
      expect(await errorOf(operation)).toMatchObject({
        type: 'misconfigured',
        message: expect.stringMatching(/^clock /),
      });
    }
    expect(await store.find({ tenant: 'default', id })).toEqual(stored);
    expect((await okOf(before.list())).total).toBe(1);
  });

  test('fails calls only while it jumps into the far future', async () => {
    let ahead = 0;
    const clock = { now: () => Date.now() + ahead };
    const { sessions } = openSessions({ clock, idleTimeout: 3600 });
    const id = await startedIn(sessions, { timeLimit: 3600 });
    ahead = 1e12;
    const operations: readonly ResultAsync<unknown, SessionError>[] = [
      sessions.append(id, [{ role: 'user', content: 'hello' }]),
      sessions.get(id),
      sessions.pause(id),
      sessions.sweep(),
    ];
    for (const operation of operations) {
      expect(await errorOf(operation)).toMatchObject({
        type: 'misconfigured',
        message: expect.stringMatching(/^clock /),
      });
    }
    ahead = 0;
    await okOf(sessions.append(id, [{ role: 'user', content: 'hello' }]));
    expect((await okOf(sessions.sweep())).ended).toEqual([]);
    expect(await okOf(sessions.pause(id))).toMatchObject({ status: 'PAUSED' });
  });

  test('is rounded down if its readings are fractional', async () => {
    const { sessions } = openSessions({ clock: { now: () => 1999.9 } });
    expect((await okOf(sessions.create({ face: 'ada', profile: 'tutor' }))).createdAt).toBe(
      '1970-01-01T00:00:01.999Z',
    );
  });
});
