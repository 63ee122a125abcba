import { describe, expect, test } from 'vitest';
import { createSweeper, type EndedSession } from '../../src/index.js';
import { NOON } from '../support/manual-clock.js';
import { createdIn, errorOf, okOf, openSessions, startedIn } from '../support/sessions.js';

const at = (ms: number): string => new Date(NOON + ms).toISOString();
const hello = [{ role: 'user', content: 'hello' }];

describe('an inactivity timeout', () => {
  test('ends an ACTIVE session that nobody has used for so long, at that millisecond, and bills it until then', async () => {
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
    expect(told).toMatchObject([{ id, endReason: 'inactive', durationMs: 30_000, endedAt: at(30_000) }]);
  });

  test('is put off by an append, a command and a renewed lease', async () => {
    const { sessions, clock } = openSessions({ inactivityTimeout: 30 });
    const id = await startedIn(sessions);
    const { fencingToken } = await okOf(sessions.lease(id, { holder: 'worker', seconds: 600 }));
    clock.pass(20_000);
    await okOf(sessions.append(id, hello));
    clock.pass(20_000);
    await okOf(sessions.renew(id, { fencingToken, seconds: 600 }));
    clock.pass(20_000);
    await okOf(sessions.pause(id));
    await okOf(sessions.resume(id));
    clock.pass(29_999);
    expect(await okOf(sessions.get(id))).toMatchObject({ status: 'ACTIVE' });
    clock.pass(1);
    expect(await okOf(sessions.get(id))).toMatchObject({ status: 'TERMINATED', endReason: 'inactive' });
  });

  test('is not that of a session that is IDLE or PAUSED, and does not outlast the time limit', async () => {
    const { sessions, clock } = openSessions({ inactivityTimeout: 30 });
    const idle = await createdIn(sessions);
    const paused = await startedIn(sessions);
    await okOf(sessions.pause(paused));
    const short = await startedIn(sessions, { timeLimit: 10 });
    clock.pass(86_400_000);
    expect(await okOf(sessions.get(idle))).toMatchObject({ status: 'IDLE' });
    expect(await okOf(sessions.get(paused))).toMatchObject({ status: 'PAUSED' });
    expect(await okOf(sessions.get(short))).toMatchObject({ endReason: 'time_limit', duration: 10 });
  });

  test('is swept once it is over, although appends have put it off', async () => {
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
