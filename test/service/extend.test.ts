import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { createdIn, errorOf, okOf, openSessions, startedIn } from '../support/sessions.js';

const at = (seconds: number): string =>
  new Date(Date.UTC(2026, 0, 31, 12) + seconds * 1000).toISOString();

describe('extend', () => {
  test('moves the end of an ACTIVE session, and counts the time already used', async () => {
    const { sessions, clock } = openSessions();
    const id = await startedIn(sessions, { timeLimit: 60 });
    clock.pass(59_999);
    const extended = await okOf(sessions.extend(id, { timeLimit: 90 }));
    expect(extended).toMatchObject({
      id,
      status: 'ACTIVE',
      durationMs: 59_999,
      startedAt: at(0),
      endsAt: at(90),
    });
    expect(await okOf(sessions.get(id))).toMatchObject({
      options: { timeLimit: 90 },
      endsAt: at(90),
      updatedAt: at(59.999),
    });
    clock.pass(30_000);
    expect(await okOf(sessions.get(id))).toMatchObject({ status: 'ACTIVE' });
    clock.pass(1);
    expect(await okOf(sessions.get(id))).toMatchObject({
      endReason: 'time_limit',
      duration: 90,
      endedAt: at(90),
    });
  });

  test('counts over pauses, and works before the start and in a pause', async () => {
    const { sessions, clock } = openSessions();
    const id = await createdIn(sessions, { timeLimit: 10 });
    expect(await okOf(sessions.extend(id, { timeLimit: 20 }))).toMatchObject({
      status: 'IDLE',
      duration: 0,
    });
    await okOf(sessions.start(id));
    clock.pass(15_000);
    await okOf(sessions.pause(id));
    expect(await okOf(sessions.extend(id, { timeLimit: 30 }))).toMatchObject({
      status: 'PAUSED',
      duration: 15,
    });
    clock.pass(1_000_000);
    expect(await okOf(sessions.resume(id))).toMatchObject({ endsAt: at(1_000_000 / 1000 + 30) });
    clock.pass(15_000);
    expect(await okOf(sessions.get(id))).toMatchObject({ status: 'TERMINATED', duration: 30 });
  });

  test('may shorten a limit down to the used time', async () => {
    const { sessions, clock } = openSessions();
    const id = await startedIn(sessions, { timeLimit: 600 });
    clock.pass(10_000);
    for (const timeLimit of [10, 9.9, 0.1]) {
      expect(await errorOf(sessions.extend(id, { timeLimit }))).toMatchObject({
        type: 'invalid_input',
        issues: [
          {
            path: 'timeLimit',
            message: 'must be more than the 10 seconds that the session has been ACTIVE',
          },
        ],
      });
    }
    expect(await okOf(sessions.get(id))).toMatchObject({ options: { timeLimit: 600 } });
    expect(await okOf(sessions.extend(id, { timeLimit: 10.001 }))).toMatchObject({
      endsAt: at(10.001),
    });
  });

  test('removes the limit with 0, or sets the longest that the host allows', async () => {
    const free = openSessions();
    const one = await startedIn(free.sessions, { timeLimit: 60 });
    expect(await okOf(free.sessions.extend(one, { timeLimit: 0 }))).not.toHaveProperty('endsAt');
    free.clock.pass(1e9);
    expect(await okOf(free.sessions.get(one))).toMatchObject({
      status: 'ACTIVE',
      options: { timeLimit: 0 },
    });
    const capped = openSessions({ limits: { timeLimit: 300 } });
    const two = await startedIn(capped.sessions, { timeLimit: 60 });
    expect(await okOf(capped.sessions.extend(two, { timeLimit: 0 }))).toMatchObject({
      endsAt: at(300),
    });
    expect(await errorOf(capped.sessions.extend(two, { timeLimit: 301 }))).toMatchObject({
      issues: [{ path: 'timeLimit', message: 'must be a number from 0 to 300' }],
    });
  });

  test('is refused for an ended or overdue session', async () => {
    const { sessions, clock } = openSessions();
    const id = await startedIn(sessions, { timeLimit: 60 });
    clock.pass(60_000);
    const refused = { type: 'invalid_transition', status: 'TERMINATED', command: 'extend' };
    expect(await errorOf(sessions.extend(id, { timeLimit: 90 }))).toMatchObject(refused);
    await okOf(sessions.sweep());
    expect(await errorOf(sessions.extend(id, { timeLimit: 90 }))).toMatchObject(refused);
    expect(await errorOf(sessions.extend('nobody', { timeLimit: 90 }))).toMatchObject({
      type: 'not_found',
    });
  });

  test('is applied once per operation id, and another limit under the id is a mismatch', async () => {
    const { sessions, clock } = openSessions();
    const id = await startedIn(sessions, { timeLimit: 60 });
    const operation = { operationId: 'extend-1' };
    await okOf(sessions.extend(id, { timeLimit: 90 }, operation));
    await okOf(sessions.extend(id, { timeLimit: 120 }));
    clock.pass(1000);
    expect(await okOf(sessions.extend(id, { timeLimit: 90 }, operation))).toMatchObject({
      endsAt: at(120),
      duration: 1,
    });
    for (const call of [
      sessions.extend(id, { timeLimit: 91 }, operation),
      sessions.pause(id, operation),
    ]) {
      expect(await errorOf(call)).toMatchObject({ type: 'operation_mismatch' });
    }
  });

  test('requires and keeps the current lease with a fencing token', async () => {
    const { sessions } = openSessions();
    const id = await startedIn(sessions, { timeLimit: 60 });
    const { fencingToken } = await okOf(sessions.lease(id, { holder: 'worker', seconds: 10 }));
    expect(
      await errorOf(sessions.extend(id, { timeLimit: 90 }, { fencingToken: fencingToken + 1 })),
    ).toMatchObject({
      type: 'lease_lost',
    });
    await okOf(sessions.extend(id, { timeLimit: 90 }, { fencingToken }));
    expect((await okOf(sessions.get(id))).lease).toMatchObject({ holder: 'worker', fencingToken });
  });

  test.for([
    undefined,
    null,
    5,
    {},
    { timeLimit: null },
    { timeLimit: '90' },
    { timeLimit: -1 },
    { timeLimit: 90, more: 1 },
  ])('rejects %j', async (input) => {
    const { sessions } = openSessions();
    const id = await startedIn(sessions, { timeLimit: 60 });
    const call: ReturnType<typeof sessions.extend> = Reflect.apply(sessions.extend, sessions, [
      id,
      input,
    ]);
    expect(await errorOf(call)).toMatchObject({ type: 'invalid_input' });
    expect(await okOf(sessions.get(id))).toMatchObject({ endsAt: at(60) });
  });

  test('reaches watches with the new limit, the new end and a new warning', async () => {
    const { sessions, clock } = openSessions({ store: new MemorySessionStore({ events: true }) });
    const id = await startedIn(sessions, { timeLimit: 60 });
    const told: unknown[] = [];
    for await (const item of sessions.watch(id, { warnBefore: 30 })) {
      const change = item._unsafeUnwrap();
      if (change.type === 'session.deleted') continue;
      const { endsAt } = change.type === 'session.expiring' ? change : change.session;
      const limit =
        change.type === 'session.changed' ? change.session.options.timeLimit : undefined;
      told.push([change.type, endsAt, limit]);
      if (told.length === 1) clock.pass(30_000);
      if (told.length === 2) await okOf(sessions.extend(id, { timeLimit: 120 }));
      if (told.length === 3) setImmediate(() => clock.pass(60_000));
      if (told.length === 4) setImmediate(() => clock.pass(30_000));
    }
    expect(told).toEqual([
      ['session.snapshot', at(60), undefined],
      ['session.expiring', at(60), undefined],
      ['session.changed', at(120), 120],
      ['session.expiring', at(120), undefined],
      ['session.changed', undefined, 120],
    ]);
  });
});
