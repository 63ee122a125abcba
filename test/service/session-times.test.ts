import { describe, expect, test } from 'vitest';
import { SessionService } from '../../src/service/session-service.js';
import { ManualClock } from '../support/manual-clock.js';
import { createdIn, okOf, openSessions, startedIn } from '../support/sessions.js';

const at = (seconds: number): string =>
  new Date(Date.UTC(2026, 0, 31, 12, 0, 0) + seconds * 1000).toISOString();

describe('the times of a session', () => {
  test('include its creation, first start, deadline, last change and end', async () => {
    const { sessions, clock } = openSessions();
    const id = await createdIn(sessions, { timeLimit: 60 });
    const timesOf = async () => {
      const { createdAt, startedAt, endsAt, endedAt, updatedAt, durationMs } = await okOf(
        sessions.get(id),
      );
      return { createdAt, startedAt, endsAt, endedAt, updatedAt, durationMs };
    };
    const created = {
      createdAt: at(0),
      startedAt: undefined,
      endsAt: undefined,
      endedAt: undefined,
    };
    expect(await timesOf()).toEqual({ ...created, updatedAt: at(0), durationMs: 0 });
    clock.pass(5000);
    await okOf(sessions.start(id));
    const running = { ...created, startedAt: at(5), endsAt: at(65) };
    expect(await timesOf()).toEqual({ ...running, updatedAt: at(5), durationMs: 0 });
    clock.pass(1250);
    await okOf(sessions.append(id, [{ role: 'user', content: 'hello' }]));
    expect(await timesOf()).toEqual({ ...running, updatedAt: at(6.25), durationMs: 1250 });
    clock.pass(750);
    expect(await timesOf()).toEqual({ ...running, updatedAt: at(6.25), durationMs: 2000 });
    await okOf(sessions.pause(id));
    expect(await timesOf()).toEqual({
      ...running,
      endsAt: undefined,
      updatedAt: at(7),
      durationMs: 2000,
    });
    clock.pass(3000);
    await okOf(sessions.resume(id));
    expect(await timesOf()).toEqual({
      ...running,
      endsAt: at(68),
      updatedAt: at(10),
      durationMs: 2000,
    });
    clock.pass(3_600_000);
    const over = {
      ...running,
      endsAt: undefined,
      endedAt: at(68),
      updatedAt: at(68),
      durationMs: 60_000,
    };
    expect(await timesOf()).toEqual(over);
    await okOf(sessions.sweep());
    expect(await timesOf()).toEqual(over);
  });

  test('are returned by each command', async () => {
    const { sessions, clock } = openSessions({ idleTimeout: 900 });
    const id = await createdIn(sessions, { timeLimit: 60 });
    const times = { durationMs: 0, startedAt: at(0) };
    expect(await okOf(sessions.start(id))).toMatchObject({ ...times, endsAt: at(60) });
    clock.pass(1500);
    expect(await okOf(sessions.pause(id))).toMatchObject({
      ...times,
      durationMs: 1500,
      endsAt: at(901.5),
    });
    const over = await okOf(sessions.terminate(id));
    expect(over).toMatchObject({ ...times, durationMs: 1500, endedAt: at(1.5) });
    expect(over).not.toHaveProperty('endsAt');
  });

  test('are not moved by a lease, an update or a read', async () => {
    const { sessions, clock } = openSessions();
    const id = await startedIn(sessions);
    clock.pass(1000);
    const { fencingToken } = await okOf(sessions.lease(id, { holder: 'worker', seconds: 10 }));
    expect(await okOf(sessions.get(id))).toMatchObject({ updatedAt: at(0) });
    clock.pass(1000);
    await okOf(sessions.update(id, { labels: { title: 'x' }, metadata: { title: 'x' } }));
    expect(await okOf(sessions.get(id))).toMatchObject({ updatedAt: at(0) });
    await okOf(sessions.release(id, { fencingToken }));
    expect((await okOf(sessions.list())).sessions[0]).toMatchObject({ updatedAt: at(0) });
  });

  test('never go back, even for a process whose clock is behind', async () => {
    const { sessions, store, clock } = openSessions();
    const others = new SessionService({ store, clock: new ManualClock() });
    const id = await startedIn(sessions);
    clock.pass(5000);
    await okOf(sessions.append(id, [{ role: 'user', content: 'hello' }]));
    await okOf(others.append(id, [{ role: 'user', content: 'hello' }]));
    await okOf(others.pause(id));
    expect(await okOf(sessions.get(id))).toMatchObject({ updatedAt: at(5) });
  });
});
