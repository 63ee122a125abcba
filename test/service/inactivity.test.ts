import { describe, expect, test } from 'vitest';
import { createSweeper, type EndedSession } from '../../src/index.js';
import { NOON } from '../support/manual-clock.js';
import { createdIn, errorOf, okOf, openSessions, startedIn } from '../support/sessions.js';

const at = (ms: number): string => new Date(NOON + ms).toISOString();
const hello = [{ role: 'user', content: 'hello' }];

describe('an inactivity timeout', () => {
  test('ends an unused ACTIVE session in its millisecond, and bills it until then', async () => {
    const { sessions, clock } = openSessions({ inactivityTimeout: 30, reportEnds: true });
    const id = await startedIn(sessions, { timeLimit: 3600 });
    clock.pass(29_999);
    expect(await okOf(sessions.get(id))).toMatchObject({ status: 'ACTIVE', endsAt: at(30_000) });
    clock.pass(1);
    expect(await okOf(sessions.get(id))).toMatchObject({
      status: 'TERMINATED',
      endReason: 'inactive',
      durationMs: 30_000,
    });
    expect(await errorOf(sessions.append(id, hello))).toMatchObject({
      type: 'invalid_transition',
      status: 'TERMINATED',
    });
    clock.pass(3_600_000);
    const told: EndedSession[] = [];
    await okOf(createSweeper(sessions, { onEnded: (session) => told.push(session) }).sweepOnce());
    expect(told).toMatchObject([
      { id, endReason: 'inactive', durationMs: 30_000, endedAt: at(30_000) },
    ]);
  });

  test('is put off by an append and a command', async () => {
    const { sessions, clock } = openSessions({ inactivityTimeout: 30 });
    const id = await startedIn(sessions);
    clock.pass(20_000);
    await okOf(sessions.append(id, hello));
    clock.pass(20_000);
    await okOf(sessions.pause(id));
    await okOf(sessions.resume(id));
    clock.pass(20_000);
    await okOf(sessions.extend(id, { timeLimit: 3600 }));
    clock.pass(29_999);
    expect(await okOf(sessions.get(id))).toMatchObject({ status: 'ACTIVE' });
    clock.pass(1);
    expect(await okOf(sessions.get(id))).toMatchObject({
      status: 'TERMINATED',
      endReason: 'inactive',
    });
  });

  test('is not put off by a lease, a claim, a wake, or an update of labels or metadata', async () => {
    const { sessions, clock } = openSessions({ inactivityTimeout: 30 });
    const id = await startedIn(sessions);
    const seconds = 600;
    const before = await okOf(sessions.get(id));
    const { updatedAt, endsAt } = before;
    const isUnmoved = async () => {
      expect(await okOf(sessions.get(id))).toMatchObject({ updatedAt, endsAt });
      clock.pass(1000);
    };
    clock.pass(1000);
    const { fencingToken } = await okOf(sessions.lease(id, { holder: 'worker', seconds }));
    await isUnmoved();
    await okOf(sessions.renew(id, { fencingToken, seconds }));
    await isUnmoved();
    await okOf(sessions.release(id, { fencingToken }));
    await isUnmoved();
    await okOf(sessions.wake(id));
    await isUnmoved();
    const { claimed } = await okOf(sessions.claim({ holder: 'worker', seconds }));
    expect(claimed).toMatchObject([{ session: { id, updatedAt, endsAt } }]);
    await isUnmoved();
    expect(await okOf(sessions.update(id, { labels: { title: 'x' } }))).toMatchObject({ endsAt });
    await isUnmoved();
    expect(await okOf(sessions.update(id, { metadata: { title: 'x' } }))).toMatchObject({ endsAt });
    await isUnmoved();
    clock.pass(22_000);
    expect(await okOf(sessions.get(id))).toMatchObject({ endReason: 'inactive', endedAt: endsAt });
  });

  test('counts from the last append in the result of an update', async () => {
    const { sessions, clock } = openSessions({ inactivityTimeout: 30 });
    const id = await startedIn(sessions);
    clock.pass(20_000);
    await okOf(sessions.append(id, hello));
    clock.pass(1000);
    expect(await okOf(sessions.update(id, { metadata: { a: 1 } }))).toMatchObject({
      endsAt: at(50_000),
    });
    clock.pass(20_000);
    expect(await okOf(sessions.update(id, { metadata: { a: 2 } }))).toMatchObject({
      status: 'ACTIVE',
    });
    expect(await okOf(sessions.get(id))).toMatchObject({
      endsAt: at(50_000),
      updatedAt: at(20_000),
    });
  });

  test('does not run while IDLE or PAUSED, and never exceeds the time limit', async () => {
    const { sessions, clock } = openSessions({ inactivityTimeout: 30 });
    const idle = await createdIn(sessions);
    const paused = await startedIn(sessions);
    await okOf(sessions.pause(paused));
    const short = await startedIn(sessions, { timeLimit: 10 });
    clock.pass(86_400_000);
    expect(await okOf(sessions.get(idle))).toMatchObject({ status: 'IDLE' });
    expect(await okOf(sessions.get(paused))).toMatchObject({ status: 'PAUSED' });
    expect(await okOf(sessions.get(short))).toMatchObject({
      endReason: 'time_limit',
      duration: 10,
    });
  });

  test('is swept once it has passed, even if appends have put it off', async () => {
    const { sessions, clock } = openSessions({ inactivityTimeout: 30 });
    const id = await startedIn(sessions);
    const sweep = () => okOf(createSweeper(sessions).sweepOnce());
    for (let turn = 0; turn < 5; turn += 1) {
      clock.pass(20_000);
      await okOf(sessions.append(id, hello));
      expect(await sweep()).toMatchObject({ ended: 0, failed: 0 });
    }
    clock.pass(30_000);
    expect(await sweep()).toMatchObject({ ended: 1 });
  });
});
