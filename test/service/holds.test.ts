import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { HoldInput } from '../../src/service/hold-session.js';
import { SessionService } from '../../src/service/session-service.js';
import { createdIn, errorOf, okOf, openSessions, startedIn } from '../support/sessions.js';
import { TextSessionStore } from '../support/store-doubles.js';

const hello = [{ role: 'assistant', content: 'hello' }];

describe.each([
  ['in memory', () => new MemorySessionStore()],
  ['that answers later', () => new TextSessionStore()],
])('a hold, on a store %s', (_, makeStore) => {
  const open = async () => {
    const store = makeStore();
    const { sessions, clock } = openSessions({ store });
    return { sessions, store, clock, id: await startedIn(sessions) };
  };

  test('has a fence and an end, and is seen by whoever gets the session', async () => {
    const { sessions, id } = await open();
    const hold = await okOf(sessions.hold(id, { holder: 'worker-1', seconds: 30 }));
    expect(hold).toEqual({ holder: 'worker-1', fence: 2, until: '2026-01-31T12:00:30.000Z' });
    expect((await okOf(sessions.get(id))).hold).toEqual(hold);
    expect((await okOf(sessions.list())).sessions[0]?.hold).toEqual(hold);
  });

  test('keeps others out until it runs out, to the millisecond', async () => {
    const { sessions, clock, id } = await open();
    await okOf(sessions.hold(id, { holder: 'worker-1', seconds: 1.5 }));
    clock.pass(1499);
    expect(await errorOf(sessions.hold(id, { holder: 'worker-2', seconds: 30 }))).toEqual({
      type: 'held',
      message: 'worker-1 holds the session until 2026-01-31T12:00:01.500Z',
      holder: 'worker-1',
      until: '2026-01-31T12:00:01.500Z',
    });
    clock.pass(1);
    expect('hold' in (await okOf(sessions.get(id)))).toBe(false);
    expect((await okOf(sessions.hold(id, { holder: 'worker-2', seconds: 30 }))).fence).toBe(3);
  });

  test('is extended by its holder under the same fence, and has a new fence once it has run out', async () => {
    const { sessions, clock, id } = await open();
    await okOf(sessions.hold(id, { holder: 'worker-1', seconds: 10 }));
    clock.pass(5000);
    expect(await okOf(sessions.hold(id, { holder: 'worker-1', seconds: 10 }))).toEqual({
      holder: 'worker-1',
      fence: 2,
      until: '2026-01-31T12:00:15.000Z',
    });
    clock.pass(10_000);
    expect((await okOf(sessions.hold(id, { holder: 'worker-1', seconds: 10 }))).fence).toBe(3);
  });

  test('guards appends and commands: with a fence that is not current they are not_holder and change nothing', async () => {
    const { sessions, clock, id } = await open();
    const { fence } = await okOf(sessions.hold(id, { holder: 'worker-1', seconds: 10 }));
    await okOf(sessions.append(id, hello, { fence }));
    await okOf(sessions.pause(id, { fence }));
    await okOf(sessions.resume(id, { fence }));
    clock.pass(10_000);
    const refused = { type: 'not_holder', fence };
    expect(await errorOf(sessions.append(id, hello, { fence }))).toMatchObject(refused);
    expect(await errorOf(sessions.pause(id, { fence }))).toMatchObject(refused);
    const next = await okOf(sessions.hold(id, { holder: 'worker-2', seconds: 10 }));
    expect(await errorOf(sessions.append(id, hello, { fence }))).toMatchObject(refused);
    expect(await errorOf(sessions.terminate(id, { fence }))).toMatchObject(refused);
    await okOf(sessions.append(id, hello, { fence: next.fence }));
    expect(await okOf(sessions.get(id))).toMatchObject({ status: 'ACTIVE', historyCount: 2 });
  });

  test('holds nobody up who gives no fence', async () => {
    const { sessions, id } = await open();
    await okOf(sessions.hold(id, { holder: 'worker-1', seconds: 10 }));
    await okOf(sessions.append(id, hello));
    expect((await okOf(sessions.terminate(id))).status).toBe('TERMINATED');
    expect('hold' in (await okOf(sessions.get(id)))).toBe(false);
  });

  test('ends when it is released, once or again, and not by the fence of another', async () => {
    const { sessions, clock, id } = await open();
    const { fence } = await okOf(sessions.hold(id, { holder: 'worker-1', seconds: 10 }));
    expect(await errorOf(sessions.release(id, { fence: fence + 1 }))).toMatchObject({ type: 'not_holder' });
    await okOf(sessions.release(id, { fence }));
    await okOf(sessions.release(id, { fence }));
    expect('hold' in (await okOf(sessions.get(id)))).toBe(false);
    expect(await errorOf(sessions.append(id, hello, { fence }))).toMatchObject({ type: 'not_holder' });
    const next = await okOf(sessions.hold(id, { holder: 'worker-2', seconds: 10 }));
    expect(next.fence).toBe(fence + 1);
    expect(await errorOf(sessions.release(id, { fence }))).toMatchObject({ type: 'not_holder' });
    clock.pass(10_000);
    await okOf(sessions.release(id, { fence: next.fence }));
  });

  test('is taken of a session that has not begun, and of none that has ended', async () => {
    const { sessions, clock } = await open();
    const id = await createdIn(sessions, { timeLimit: 5 });
    const { fence } = await okOf(sessions.hold(id, { holder: 'worker-1', seconds: 60 }));
    await okOf(sessions.start(id, { fence }));
    clock.pass(5000);
    const ended = { type: 'invalid_transition', status: 'TERMINATED', command: 'hold' };
    expect(await errorOf(sessions.hold(id, { holder: 'worker-1', seconds: 60 }))).toMatchObject(ended);
    expect(await errorOf(sessions.append(id, hello, { fence }))).toMatchObject({ type: 'invalid_transition' });
    await okOf(sessions.release(id, { fence }));
  });

  test('changes neither the time of a session nor what it has done', async () => {
    const { sessions, clock } = await open();
    const id = await startedIn(sessions, { timeLimit: 10 });
    clock.pass(4000);
    await okOf(sessions.hold(id, { holder: 'worker-1', seconds: 60 }));
    clock.pass(5999);
    expect(await okOf(sessions.get(id))).toMatchObject({ status: 'ACTIVE', duration: 9 });
    clock.pass(1);
    expect(await okOf(sessions.get(id))).toMatchObject({ status: 'TERMINATED', endReason: 'time_limit', duration: 10 });
  });

  test('of a deleted session is not one on a session that was created again under its id', async () => {
    const { sessions } = await open();
    const input = { face: 'ada', profile: 'tutor', idempotencyKey: 'call-1' };
    const { id } = await okOf(sessions.create(input));
    const { fence } = await okOf(sessions.hold(id, { holder: 'worker-1', seconds: 60 }));
    await okOf(sessions.delete(id));
    expect((await okOf(sessions.create(input))).id).toBe(id);
    const next = await okOf(sessions.hold(id, { holder: 'worker-2', seconds: 60 }));
    expect(next.fence).not.toBe(fence);
    expect(await errorOf(sessions.start(id, { fence }))).toMatchObject({ type: 'not_holder' });
  });

  test('that ends on one clock is over by the fence on every other', async () => {
    const { sessions, store, clock, id } = await open();
    const early = new SessionService({ store, clock: { now: () => clock.now() - 60_000 } });
    const { fence } = await okOf(early.hold(id, { holder: 'behind', seconds: 10 }));
    const next = await okOf(sessions.hold(id, { holder: 'in-time', seconds: 10 }));
    expect(next.fence).toBe(fence + 1);
    expect(await errorOf(early.append(id, hello, { fence }))).toMatchObject({ type: 'not_holder' });
    await okOf(sessions.append(id, hello, { fence: next.fence }));
  });

  test.each([
    [{ seconds: 5 }, 'holder is required'],
    [{ holder: '', seconds: 5 }, 'holder must have 1 to 256 characters'],
    [{ holder: 'x'.repeat(257), seconds: 5 }, 'holder must have 1 to 256 characters'],
    [{ holder: 'x' }, 'seconds must be a number from 0.001 to 86400'],
    [{ holder: 'x', seconds: 0 }, 'seconds must be a number from 0.001 to 86400'],
    [{ holder: 'x', seconds: 86_401 }, 'seconds must be a number from 0.001 to 86400'],
    [{ holder: 'x', seconds: Number.NaN }, 'seconds must be a number from 0.001 to 86400'],
  ])('of %j is invalid_input', async (input, message) => {
    const { sessions, id } = await open();
    const hold: HoldInput = Object.assign(Object.create(null), input);
    expect(await errorOf(sessions.hold(id, hold))).toMatchObject({ type: 'invalid_input', message });
  });

  test('tells of a holder without characters that control a terminal or turn the text round', async () => {
    const { sessions, id } = await open();
    const holder = 'worker\u001b[31m\u202e-1';
    await okOf(sessions.hold(id, { holder, seconds: 60 }));
    const error = await errorOf(sessions.hold(id, { holder: 'another', seconds: 60 }));
    expect(error).toMatchObject({ type: 'held', holder });
    expect(error.message).toMatch(/^worker\\u\{1b\}\[31m\\u\{202e\}-1 holds the session until /);
  });

  test('with a fence that is no whole number from 1 is invalid_input', async () => {
    const { sessions, id } = await open();
    for (const fence of [0, -1, 1.5, Number.NaN]) {
      const message = 'fence must be a whole number, at least 1';
      expect(await errorOf(sessions.append(id, hello, { fence }))).toMatchObject({ message });
      expect(await errorOf(sessions.pause(id, { fence }))).toMatchObject({ message });
      expect(await errorOf(sessions.release(id, { fence }))).toMatchObject({ message });
    }
  });
});
