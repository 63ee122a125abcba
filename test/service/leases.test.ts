import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { LeaseInput } from '../../src/service/lease-session.js';
import { SessionService } from '../../src/service/session-service.js';
import { createdIn, errorOf, okOf, openSessions, startedIn } from '../support/sessions.js';
import { TextSessionStore } from '../support/store-doubles.js';

const hello = [{ role: 'assistant', content: 'hello' }];

describe.each([
  ['in memory', () => new MemorySessionStore()],
  ['that answers later', () => new TextSessionStore()],
])('a lease, on a store %s', (_, makeStore) => {
  const open = async () => {
    const store = makeStore();
    const { sessions, clock } = openSessions({ store });
    return { sessions, store, clock, id: await startedIn(sessions) };
  };

  test('has a fencing token and an end, which every reader of the session sees', async () => {
    const { sessions, id } = await open();
    const lease = await okOf(sessions.lease(id, { holder: 'worker-1', seconds: 30 }));
    expect(lease).toEqual({
      holder: 'worker-1',
      fencingToken: expect.any(Number),
      until: '2026-01-31T12:00:30.000Z',
    });
    expect((await okOf(sessions.get(id))).lease).toEqual(lease);
    expect((await okOf(sessions.list())).sessions[0]?.lease).toEqual(lease);
  });

  test('excludes other holders until it expires, to the millisecond', async () => {
    const { sessions, clock, id } = await open();
    const { fencingToken } = await okOf(sessions.lease(id, { holder: 'worker-1', seconds: 1.5 }));
    clock.pass(1499);
    expect(await errorOf(sessions.lease(id, { holder: 'worker-2', seconds: 30 }))).toEqual({
      type: 'leased',
      message: 'worker-1 has leased the session until 2026-01-31T12:00:01.500Z',
      holder: 'worker-1',
      until: '2026-01-31T12:00:01.500Z',
    });
    clock.pass(1);
    expect('lease' in (await okOf(sessions.get(id)))).toBe(false);
    const next = await okOf(sessions.lease(id, { holder: 'worker-2', seconds: 30 }));
    expect(next.fencingToken).toBeGreaterThan(fencingToken);
  });

  test('is renewed under its fencing token until it expires', async () => {
    const { sessions, clock, id } = await open();
    const { fencingToken } = await okOf(sessions.lease(id, { holder: 'worker-1', seconds: 10 }));
    clock.pass(9999);
    expect(await okOf(sessions.renew(id, { fencingToken, seconds: 5 }))).toEqual({
      holder: 'worker-1',
      fencingToken,
      until: '2026-01-31T12:00:14.999Z',
    });
    clock.pass(5000);
    expect(await errorOf(sessions.renew(id, { fencingToken, seconds: 5 }))).toEqual({
      type: 'lease_lost',
      message: `the lease is lost: ${fencingToken} is not the fencing token of the current lease`,
      fencingToken,
    });
    expect('lease' in (await okOf(sessions.get(id)))).toBe(false);
  });

  test('replaces an earlier lease of the same holder', async () => {
    const { sessions, id } = await open();
    const first = await okOf(sessions.lease(id, { holder: 'worker-1', seconds: 10 }));
    const second = await okOf(sessions.lease(id, { holder: 'worker-1', seconds: 10 }));
    expect(second.fencingToken).toBeGreaterThan(first.fencingToken);
    const { fencingToken } = first;
    expect(await errorOf(sessions.append(id, hello, { fencingToken }))).toMatchObject({
      type: 'lease_lost',
    });
    expect(await errorOf(sessions.renew(id, { fencingToken, seconds: 10 }))).toMatchObject({
      type: 'lease_lost',
    });
    expect(await errorOf(sessions.release(id, { fencingToken }))).toMatchObject({
      type: 'lease_lost',
    });
    await okOf(sessions.append(id, hello, { fencingToken: second.fencingToken }));
  });

  test('makes appends and commands with a stale fencing token fail with lease_lost', async () => {
    const { sessions, clock, id } = await open();
    const { fencingToken } = await okOf(sessions.lease(id, { holder: 'worker-1', seconds: 10 }));
    await okOf(sessions.append(id, hello, { fencingToken }));
    await okOf(sessions.pause(id, { fencingToken }));
    await okOf(sessions.resume(id, { fencingToken }));
    clock.pass(10_000);
    const refused = { type: 'lease_lost', fencingToken };
    expect(await errorOf(sessions.append(id, hello, { fencingToken }))).toMatchObject(refused);
    expect(await errorOf(sessions.pause(id, { fencingToken }))).toMatchObject(refused);
    const next = await okOf(sessions.lease(id, { holder: 'worker-2', seconds: 10 }));
    expect(await errorOf(sessions.append(id, hello, { fencingToken }))).toMatchObject(refused);
    expect(await errorOf(sessions.terminate(id, { fencingToken }))).toMatchObject(refused);
    await okOf(sessions.append(id, hello, { fencingToken: next.fencingToken }));
    expect(await okOf(sessions.get(id))).toMatchObject({ status: 'ACTIVE', historyCount: 2 });
  });

  test('does not affect calls without a fencing token', async () => {
    const { sessions, id } = await open();
    await okOf(sessions.lease(id, { holder: 'worker-1', seconds: 10 }));
    await okOf(sessions.append(id, hello));
    expect((await okOf(sessions.terminate(id))).status).toBe('TERMINATED');
    expect('lease' in (await okOf(sessions.get(id)))).toBe(false);
  });

  test("ends with a release, which may be repeated, and not by another's fencing token", async () => {
    const { sessions, clock, id } = await open();
    const { fencingToken } = await okOf(sessions.lease(id, { holder: 'worker-1', seconds: 10 }));
    expect(await errorOf(sessions.release(id, { fencingToken: fencingToken + 1 }))).toMatchObject({
      type: 'lease_lost',
    });
    await okOf(sessions.release(id, { fencingToken }));
    await okOf(sessions.release(id, { fencingToken }));
    expect('lease' in (await okOf(sessions.get(id)))).toBe(false);
    expect(await errorOf(sessions.append(id, hello, { fencingToken }))).toMatchObject({
      type: 'lease_lost',
    });
    const next = await okOf(sessions.lease(id, { holder: 'worker-2', seconds: 10 }));
    expect(next.fencingToken).toBeGreaterThan(fencingToken);
    expect(await errorOf(sessions.release(id, { fencingToken }))).toMatchObject({
      type: 'lease_lost',
    });
    clock.pass(10_000);
    await okOf(sessions.release(id, { fencingToken: next.fencingToken }));
  });

  test('can be taken before the start, but not after the end', async () => {
    const { sessions, clock } = await open();
    const id = await createdIn(sessions, { timeLimit: 5 });
    const { fencingToken } = await okOf(sessions.lease(id, { holder: 'worker-1', seconds: 60 }));
    await okOf(sessions.start(id, { fencingToken }));
    clock.pass(5000);
    const ended = { type: 'invalid_transition', status: 'TERMINATED', command: 'lease' };
    expect(await errorOf(sessions.lease(id, { holder: 'worker-1', seconds: 60 }))).toMatchObject(
      ended,
    );
    expect(await errorOf(sessions.append(id, hello, { fencingToken }))).toMatchObject({
      type: 'invalid_transition',
    });
    await okOf(sessions.release(id, { fencingToken }));
  });

  test("changes neither the session's time nor its history", async () => {
    const { sessions, clock } = await open();
    const id = await startedIn(sessions, { timeLimit: 10 });
    clock.pass(4000);
    await okOf(sessions.lease(id, { holder: 'worker-1', seconds: 60 }));
    clock.pass(5999);
    expect(await okOf(sessions.get(id))).toMatchObject({ status: 'ACTIVE', duration: 9 });
    clock.pass(1);
    expect(await okOf(sessions.get(id))).toMatchObject({
      status: 'TERMINATED',
      endReason: 'time_limit',
      duration: 10,
    });
  });

  test('does not hold a session created again under the id of a deleted one', async () => {
    const { sessions } = await open();
    const input = { face: 'ada', profile: 'tutor', idempotencyKey: 'call-1' };
    const { id } = await okOf(sessions.create(input));
    const { fencingToken } = await okOf(sessions.lease(id, { holder: 'worker-1', seconds: 60 }));
    await okOf(sessions.delete(id));
    expect((await okOf(sessions.create(input))).id).toBe(id);
    const next = await okOf(sessions.lease(id, { holder: 'worker-2', seconds: 60 }));
    expect(next.fencingToken).not.toBe(fencingToken);
    expect(await errorOf(sessions.start(id, { fencingToken }))).toMatchObject({
      type: 'lease_lost',
    });
  });

  test('is over by its fencing token on every clock once it expired on one', async () => {
    const { sessions, store, clock, id } = await open();
    const early = new SessionService({ store, clock: { now: () => clock.now() - 60_000 } });
    const { fencingToken } = await okOf(early.lease(id, { holder: 'behind', seconds: 10 }));
    const next = await okOf(sessions.lease(id, { holder: 'in-time', seconds: 10 }));
    expect(next.fencingToken).toBeGreaterThan(fencingToken);
    expect(await errorOf(early.append(id, hello, { fencingToken }))).toMatchObject({
      type: 'lease_lost',
    });
    await okOf(sessions.append(id, hello, { fencingToken: next.fencingToken }));
  });

  test.each([
    [{ seconds: 5 }, 'holder is required'],
    [{ holder: '', seconds: 5 }, 'holder must have 1 to 256 characters'],
    [{ holder: 'x'.repeat(257), seconds: 5 }, 'holder must have 1 to 256 characters'],
    [{ holder: 'x' }, 'seconds must be a number from 0.001 to 86400'],
    [{ holder: 'x', seconds: 0 }, 'seconds must be a number from 0.001 to 86400'],
    [{ holder: 'x', seconds: 86_401 }, 'seconds must be a number from 0.001 to 86400'],
    [{ holder: 'x', seconds: Number.NaN }, 'seconds must be a number from 0.001 to 86400'],
  ])('fails with invalid_input for %j', async (input, message) => {
    const { sessions, id } = await open();
    const lease: LeaseInput = Object.assign(Object.create(null), input);
    expect(await errorOf(sessions.lease(id, lease))).toMatchObject({
      type: 'invalid_input',
      message,
    });
  });

  test('names its holder without control characters and bidirectional overrides', async () => {
    const { sessions, id } = await open();
    const holder = 'worker\u001b[31m\u202e-1';
    await okOf(sessions.lease(id, { holder, seconds: 60 }));
    const error = await errorOf(sessions.lease(id, { holder: 'another', seconds: 60 }));
    expect(error).toMatchObject({ type: 'leased', holder });
    expect(error.message).toMatch(
      /^worker\\u\{1b\}\[31m\\u\{202e\}-1 has leased the session until /,
    );
  });

  test('fails with invalid_input for a fencing token that is not a whole number from 1', async () => {
    const { sessions, id } = await open();
    for (const fencingToken of [0, -1, 1.5, Number.NaN]) {
      const message = 'fencingToken must be a whole number, at least 1';
      expect(await errorOf(sessions.append(id, hello, { fencingToken }))).toMatchObject({
        message,
      });
      expect(await errorOf(sessions.pause(id, { fencingToken }))).toMatchObject({ message });
      expect(await errorOf(sessions.release(id, { fencingToken }))).toMatchObject({ message });
      expect(await errorOf(sessions.renew(id, { fencingToken, seconds: 1 }))).toMatchObject({
        message,
      });
    }
  });
});
