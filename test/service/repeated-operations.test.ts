import { err } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { storeUnavailable } from '../../src/session/errors.js';
import { REMEMBERED_OPERATIONS } from '../../src/session/session-record.js';
import {
  createdIn,
  errorOf,
  type OpenOptions,
  okOf,
  openSessions,
  startedIn,
} from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';

type Opened = ReturnType<typeof openSessions>;

const hello = { role: 'user', content: 'hello' };

test('an operation id is unique among commands and updates, and separate for appends', async () => {
  const { sessions } = openSessions();
  const id = await startedIn(sessions);
  const operation = { operationId: 'op' };
  await okOf(sessions.update(id, { labels: { a: 'b' } }, operation));
  expect((await errorOf(sessions.pause(id, operation))).type).toBe('operation_mismatch');
  expect(await okOf(sessions.append(id, [hello], operation))).not.toHaveProperty('repeated');
  const other = [{ role: 'user', content: 'other' }];
  expect((await errorOf(sessions.append(id, other, operation))).type).toBe('operation_mismatch');
});

describe('a repeated append', () => {
  test('adds nothing, returns the first position, and reports the repetition', async () => {
    const { sessions } = openSessions();
    const id = await startedIn(sessions);
    const first = await okOf(sessions.append(id, [hello], { operationId: 'op' }));
    await okOf(sessions.append(id, [hello]));
    const again = await okOf(sessions.append(id, [hello], { operationId: 'op' }));
    expect(first).not.toHaveProperty('repeated');
    expect(again).toEqual({ ...first, repeated: true });
    expect((await okOf(sessions.get(id))).history).toHaveLength(2);
  });

  test('is recognised even if the session has ended since', async () => {
    const { sessions, clock } = openSessions();
    const id = await startedIn(sessions, { timeLimit: 1 });
    const first = await okOf(sessions.append(id, [hello], { operationId: 'op' }));
    clock.pass(5000);
    const again = await okOf(sessions.append(id, [hello], { operationId: 'op' }));
    expect(again).toEqual({ ...first, repeated: true });
    expect(await errorOf(sessions.append(id, [hello], { operationId: 'new' }))).toMatchObject({
      type: 'invalid_transition',
    });
  });

  test('counts once after a lost reply', async () => {
    const inner = new MemorySessionStore();
    let lost = 0;
    const store = changed(inner, {
      use: (commit) => {
        inner.change(commit);
        lost += 1;
        return lost === 1
          ? err(storeUnavailable('the connection broke', 'unknown'))
          : inner.change(commit);
      },
    });
    const { sessions } = openSessions({ store });
    const id = await startedIn(sessions);
    const send = () => sessions.append(id, [hello], { operationId: 'op' });
    expect(await errorOf(send())).toEqual({
      type: 'store_unavailable',
      message: 'the connection broke',
      outcome: 'unknown',
    });
    await okOf(send());
    expect((await okOf(sessions.get(id))).history).toHaveLength(1);
  });
});

describe('a repeated command', () => {
  test('succeeds, changes nothing, and reports the repetition', async () => {
    const { sessions, store, clock } = openSessions();
    const id = await createdIn(sessions);
    const operation = { operationId: 'start-1' };
    expect(await okOf(sessions.start(id, operation))).toMatchObject({
      id,
      status: 'ACTIVE',
      duration: 0,
    });
    clock.pass(3000);
    const before = await store.findState({ tenant: 'default', id });
    expect(await okOf(sessions.start(id, operation))).toMatchObject({
      id,
      status: 'ACTIVE',
      duration: 3,
      repeated: true,
    });
    expect(await store.findState({ tenant: 'default', id })).toEqual(before);
    expect(await errorOf(sessions.start(id))).toMatchObject({ type: 'invalid_transition' });
    expect(await errorOf(sessions.start(id, { operationId: 'start-2' }))).toMatchObject({
      type: 'invalid_transition',
    });
  });

  test.for(['start', 'pause', 'resume', 'terminate', 'fail'] as const)(
    'is reported by %s',
    async (command) => {
      const { sessions } = openSessions();
      const id = await createdIn(sessions);
      if (command !== 'start') await okOf(sessions.start(id));
      if (command === 'resume') await okOf(sessions.pause(id));
      expect(await okOf(sessions[command](id, { operationId: 'op' }))).not.toHaveProperty(
        'repeated',
      );
      expect(await okOf(sessions[command](id, { operationId: 'op' }))).toHaveProperty(
        'repeated',
        true,
      );
      await sessions.terminate(id);
      expect(await okOf(sessions.terminate(id, { operationId: 'again' }))).not.toHaveProperty(
        'repeated',
      );
      expect(await okOf(sessions.terminate(id))).not.toHaveProperty('repeated');
    },
  );

  test('returns the current state, not the state after the first call', async () => {
    const { sessions, clock } = openSessions();
    const id = await createdIn(sessions, { timeLimit: 10 });
    await okOf(sessions.start(id, { operationId: 'a' }));
    await okOf(sessions.pause(id, { operationId: 'b' }));
    expect(await okOf(sessions.start(id, { operationId: 'a' }))).toMatchObject({
      status: 'PAUSED',
    });
    await okOf(sessions.resume(id, { operationId: 'c' }));
    clock.pass(10_000);
    expect(await okOf(sessions.pause(id, { operationId: 'b' }))).toMatchObject({
      status: 'TERMINATED',
      endReason: 'time_limit',
      duration: 10,
    });
  });

  test('is recognised among many recent operations', async () => {
    const { sessions } = openSessions();
    const id = await startedIn(sessions);
    for (let round = 0; round < REMEMBERED_OPERATIONS; round += 1) {
      const operation = { operationId: `op-${round}` };
      await okOf(round % 2 === 0 ? sessions.pause(id, operation) : sessions.resume(id, operation));
    }
    expect(await okOf(sessions.pause(id, { operationId: 'op-0' }))).toMatchObject({
      status: 'ACTIVE',
    });
  });

  test('is applied once after a lost reply', async () => {
    const inner = new MemorySessionStore();
    let writes = 0;
    const store = changed(inner, {
      put: (commit) => {
        inner.change(commit);
        writes += 1;
        return err(storeUnavailable('the connection broke', 'unknown'));
      },
    });
    const { sessions } = openSessions({ store });
    const id = await createdIn(sessions);
    expect(await errorOf(sessions.start(id, { operationId: 'op' }))).toMatchObject({
      outcome: 'unknown',
    });
    expect(await okOf(sessions.start(id, { operationId: 'op' }))).toMatchObject({
      status: 'ACTIVE',
      repeated: true,
    });
    expect(writes).toBe(1);
  });

  test('is another operation on another session', async () => {
    const { sessions } = openSessions();
    const [one, two] = [await createdIn(sessions), await createdIn(sessions)];
    await okOf(sessions.start(one, { operationId: 'op' }));
    expect(await okOf(sessions.start(two, { operationId: 'op' }))).toMatchObject({
      id: two,
      status: 'ACTIVE',
    });
  });

  test('fails with not_found for a deleted session', async () => {
    const { sessions } = openSessions();
    const id = await createdIn(sessions);
    await okOf(sessions.start(id, { operationId: 'op' }));
    await okOf(sessions.delete(id));
    expect(await errorOf(sessions.start(id, { operationId: 'op' }))).toMatchObject({
      type: 'not_found',
    });
    expect(await errorOf(sessions.append(id, [hello], { operationId: 'op' }))).toMatchObject({
      type: 'not_found',
    });
  });
});

describe('a repeated rewind', () => {
  test('is recognised even if the session has ended since', async () => {
    const { sessions, clock } = openSessions();
    const id = await startedIn(sessions, { timeLimit: 1 });
    const { position: ifPosition } = await okOf(sessions.append(id, [hello]));
    const rewind = { to: 0, ifPosition, entries: [hello], operationId: 'op' };
    const first = await okOf(sessions.rewind(id, rewind));
    clock.pass(5000);
    expect(await okOf(sessions.rewind(id, rewind))).toEqual({ ...first, repeated: true });
    const other = await errorOf(sessions.rewind(id, { ...rewind, entries: [] }));
    expect(other.type).toBe('operation_mismatch');
    const late = await errorOf(sessions.rewind(id, { ...rewind, operationId: 'new' }));
    expect(late.type).toBe('invalid_transition');
  });

  test('is recognised even if its lease is over and its message was edited', async () => {
    const { sessions } = openSessions();
    const id = await startedIn(sessions);
    await okOf(sessions.reply(id, { id: 'm-1', content: 'Why?' }, () => 'Because.'));
    const lease = await okOf(sessions.lease(id, { holder: 'worker-1', seconds: 30 }));
    const { fencingToken } = lease;
    const edit = { before: 'm-1', entries: [hello], fencingToken, operationId: 'op' };
    const first = await okOf(sessions.rewind(id, edit));
    await okOf(sessions.release(id, { fencingToken }));
    expect(await okOf(sessions.rewind(id, edit))).toEqual({ ...first, repeated: true });
    const without = { before: 'm-1', entries: [hello], operationId: 'edit-2' };
    expect((await errorOf(sessions.rewind(id, without))).type).toBe('invalid_input');
  });
});

describe('a repeated release', () => {
  const said = { done: true, entries: 'How long is it?', usage: { tokens: 900 } };

  const open = (options: OpenOptions = {}) =>
    openSessions({ limits: { counters: ['tokens'] }, ...options });

  const claimedIn = async ({ sessions }: Opened) => {
    const id = await startedIn(sessions);
    await okOf(sessions.send(id, 'And a tunnel.'));
    const [work] = (await okOf(sessions.claim({ holder: 'worker-1', seconds: 30 }))).claimed;
    return { id, fencingToken: work?.lease.fencingToken ?? 0 };
  };

  test('stores what the turn says and counts what it has used once', async () => {
    const opened = open();
    const { id, fencingToken } = await claimedIn(opened);
    const release = { fencingToken, ...said };
    expect(await okOf(opened.sessions.release(id, release))).toEqual({});
    expect(await okOf(opened.sessions.release(id, release))).toEqual({});
    const { history, usage } = await okOf(opened.sessions.get(id));
    expect(history).toHaveLength(2);
    expect(usage).toEqual({ tokens: 900 });
  });

  test.each([
    ['other entries', { entries: 'How wide is it?' }],
    ['further entries', { entries: ['How long is it?', 'And how wide?'] }],
    ['other usage', { usage: { tokens: 901 } }],
  ])('with %s fails, because nothing would store them', async (_name, other) => {
    const opened = open();
    const { id, fencingToken } = await claimedIn(opened);
    await okOf(opened.sessions.release(id, { fencingToken, ...said }));
    const error = await errorOf(opened.sessions.release(id, { fencingToken, ...said, ...other }));
    expect(error).toMatchObject({ type: 'lease_lost' });
    expect((await okOf(opened.sessions.get(id))).history).toHaveLength(2);
  });

  test('with entries after one without any fails', async () => {
    const opened = open();
    const { id, fencingToken } = await claimedIn(opened);
    await okOf(opened.sessions.release(id, { fencingToken, done: true }));
    const error = await errorOf(opened.sessions.release(id, { fencingToken, ...said }));
    expect(error).toMatchObject({ type: 'lease_lost' });
  });

  test('without entries after one that had some succeeds, and takes nothing away', async () => {
    const opened = open();
    const { id, fencingToken } = await claimedIn(opened);
    await okOf(opened.sessions.release(id, { fencingToken, ...said }));
    expect(await okOf(opened.sessions.release(id, { fencingToken }))).toEqual({});
    expect((await okOf(opened.sessions.get(id))).history).toHaveLength(2);
  });

  test.each([
    ['has expired', {}],
    ['has ended with its session', { timeLimit: 60 }],
  ])('of a lease that %s stores the entries once', async (_name, limits) => {
    const opened = open({ gracePeriod: 600 });
    const { sessions, clock } = opened;
    const id = await startedIn(sessions, limits);
    const lease = await okOf(sessions.lease(id, { holder: 'worker-1', seconds: 30 }));
    clock.pass(90_000);
    const release = { fencingToken: lease.fencingToken, ...said };
    await okOf(sessions.release(id, release));
    await okOf(sessions.release(id, release));
    expect((await okOf(sessions.get(id))).history).toHaveLength(1);
  });

  test('is recognised although a schema changes what it says each time', async () => {
    const counted = { calls: 0 };
    const data = z.any().transform(() => {
      counted.calls += 1;
      return counted.calls;
    });
    const opened = open({ schemas: { data } });
    const { id, fencingToken } = await claimedIn(opened);
    const release = { fencingToken, ...said, entries: [{ content: 'How long is it?', data: 0 }] };
    await okOf(opened.sessions.release(id, release));
    expect(await okOf(opened.sessions.release(id, release))).toEqual({});
    expect(counted.calls).toBe(2);
  });
});
