import { describe, expect, test } from 'vitest';
import { SessionService } from '../../src/service/session-service.js';
import {
  ada,
  call,
  createdIn,
  errorOf,
  okOf,
  openSessions,
  startedIn,
} from '../support/sessions.js';

const worker = { holder: 'worker-1', seconds: 10, limit: 100 };
const at = (seconds: number) => new Date(Date.UTC(2026, 0, 31, 12, 0, seconds));

const open = (bench = openSessions()) => {
  const claimedIds = async () =>
    (await okOf(bench.sessions.claim(worker))).claimed.map(({ session }) => session.id);
  return { ...bench, claimedIds };
};

describe('wake', () => {
  test.each(['IDLE', 'ACTIVE'])('makes a session that is %s wait for a worker', async (status) => {
    const { sessions, claimedIds } = open();
    const id = await createdIn(sessions);
    if (status !== 'IDLE') await okOf(sessions.start(id));
    expect(await claimedIds()).toEqual([]);
    await okOf(sessions.wake(id));
    expect(await claimedIds()).toEqual([id]);
  });

  test('makes a PAUSED session wait for a worker once it is resumed', async () => {
    const { sessions, claimedIds } = open();
    const id = await startedIn(sessions);
    await okOf(sessions.pause(id));
    await okOf(sessions.wake(id));
    expect(await claimedIds()).toEqual([]);
    await okOf(sessions.resume(id));
    expect(await claimedIds()).toEqual([id]);
  });

  test('makes a session wait from a later time on, given as a string or a Date', async () => {
    const { sessions, clock, claimedIds } = open();
    const [one, other] = [await createdIn(sessions), await createdIn(sessions)];
    await okOf(sessions.wake(one, { at: at(60) }));
    await okOf(sessions.wake(other, { at: '2026-01-31T13:01:01+01:00' }));
    clock.pass(59_999);
    expect(await claimedIds()).toEqual([]);
    clock.pass(1);
    expect(await claimedIds()).toEqual([one]);
    clock.pass(1000);
    expect(await claimedIds()).toEqual([other]);
  });

  test('keeps the earlier of two times', async () => {
    const { sessions, clock, claimedIds } = open();
    const [one, other] = [await createdIn(sessions), await createdIn(sessions)];
    for (const [id, times] of [
      [one, [60, 30]],
      [other, [30, 60]],
    ] as const) {
      for (const seconds of times) await okOf(sessions.wake(id, { at: at(seconds) }));
    }
    clock.pass(29_999);
    expect(await claimedIds()).toEqual([]);
    clock.pass(1);
    expect(await claimedIds()).toEqual([one, other]);
  });

  test('survives a claim that is done before its later time', async () => {
    const { sessions, clock, claimedIds } = open();
    const { id } = await okOf(sessions.create({ ...ada, wake: true }));
    expect(await claimedIds()).toEqual([id]);
    await okOf(sessions.wake(id, { at: at(3600) }));
    const { lease } = await okOf(sessions.get(id));
    await okOf(sessions.release(id, { fencingToken: lease?.fencingToken ?? 0, done: true }));
    clock.pass(3_599_999);
    expect(await claimedIds()).toEqual([]);
    clock.pass(1);
    expect(await claimedIds()).toEqual([id]);
  });

  test('survives start, pause, resume, extend, update and append', async () => {
    const { sessions, claimedIds } = open();
    const { id } = await okOf(sessions.create({ ...ada, timeLimit: 60, wake: true }));
    await okOf(sessions.start(id));
    await okOf(sessions.append(id, [{ role: 'user', content: 'hello' }]));
    await okOf(sessions.pause(id));
    await okOf(sessions.resume(id));
    await okOf(sessions.extend(id, { timeLimit: 90 }));
    await okOf(sessions.update(id, { labels: { user: 'u-1' } }));
    expect(await claimedIds()).toEqual([id]);
  });

  test('is not copied by a fork', async () => {
    const { sessions, claimedIds } = open();
    const { id } = await okOf(sessions.create({ ...ada, start: true, wake: true }));
    await createdIn(sessions);
    const { id: fork } = await okOf(sessions.create({ ...ada, from: { id }, wake: true }));
    await okOf(sessions.create({ ...ada, from: { id } }));
    expect(await claimedIds()).toEqual([id, fork]);
  });

  test('is only a change the first time, or for an earlier time', async () => {
    const { sessions, store } = open();
    const id = await createdIn(sessions);
    const sequence = async () =>
      (await store.find({ tenant: 'default', id }))._unsafeUnwrap()?.sequence;
    const seen = [await sequence()];
    for (const seconds of [60, 60, 90, 30]) {
      await okOf(sessions.wake(id, { at: at(seconds) }));
      seen.push(await sequence());
    }
    expect(seen).toEqual([1, 2, 2, 2, 3]);
  });

  test('is a change also for a later time than that of the next attempt', async () => {
    const { sessions, store } = open();
    const { id } = await okOf(sessions.create({ ...ada, wake: true }));
    const { claimed } = await okOf(sessions.claim(worker));
    const fencingToken = claimed[0]?.lease.fencingToken ?? 0;
    await okOf(sessions.release(id, { fencingToken }));
    const sequence = async () =>
      (await store.find({ tenant: 'default', id }))._unsafeUnwrap()?.sequence ?? 0;
    const before = await sequence();
    await okOf(sessions.wake(id, { at: at(3600) }));
    expect(await sequence()).toBe(before + 1);
  });

  test('counts as now for a time before 1970', async () => {
    const { sessions, claimedIds } = open();
    const id = await createdIn(sessions);
    await okOf(sessions.wake(id, { at: '1969-07-20T20:17:00Z' }));
    expect(await claimedIds()).toEqual([id]);
  });

  test('fails for a missing or ended session', async () => {
    const { sessions, clock } = open();
    expect(await errorOf(sessions.wake('s9'))).toMatchObject({ type: 'not_found', id: 's9' });
    const refusal = { type: 'invalid_transition', status: 'TERMINATED', command: 'wake' };
    const [over, expired] = [
      await startedIn(sessions),
      await startedIn(sessions, { timeLimit: 5 }),
    ];
    await okOf(sessions.terminate(over));
    clock.pass(5000);
    for (const id of [over, expired])
      expect(await errorOf(sessions.wake(id))).toMatchObject(refusal);
  });

  test.each([
    [{ at: 'tomorrow' }, 'at'],
    [{ at: new Date(Number.NaN) }, 'at'],
    [{ at: 5 }, 'at'],
    [{ when: '2026-01-31T12:00:00Z' }, 'when'],
    [null, 'options'],
  ])('fails with invalid_input that names the field, for %j', async (options, path) => {
    const { sessions } = open();
    const error = await errorOf(call(sessions, 'wake', await createdIn(sessions), options));
    expect(error).toMatchObject({ type: 'invalid_input', issues: [{ path }] });
  });
});

const hello = [{ role: 'user', content: 'hello' }];

describe('send', () => {
  test('makes the session claimable with its message, in one call', async () => {
    const { sessions } = open();
    const id = await startedIn(sessions);
    await okOf(sessions.append(id, hello));
    expect((await okOf(sessions.claim(worker))).claimed).toEqual([]);
    await okOf(sessions.send(id, 'hello'));
    const { claimed } = await okOf(sessions.claim(worker));
    expect(claimed).toMatchObject([{ session: { id }, messages: [{ content: 'hello' }] }]);
  });

  test('makes the session wait until a lease is released, and outlives the earlier work', async () => {
    const { sessions, claimedIds } = open();
    const { id } = await okOf(sessions.create({ ...ada, start: true, wake: true }));
    const { claimed } = await okOf(sessions.claim(worker));
    await okOf(sessions.send(id, 'hello'));
    expect(await claimedIds()).toEqual([]);
    const fencingToken = claimed[0]?.lease.fencingToken ?? 0;
    await okOf(sessions.release(id, { fencingToken, done: true }));
    expect(await claimedIds()).toEqual([id]);
  });

  test('is found by the release of a process that does not know the message', async () => {
    const { sessions, store, clock, claimedIds } = open();
    const other = new SessionService({ store, clock });
    const { id } = await okOf(sessions.create({ ...ada, start: true, wake: true }));
    const { claimed } = await okOf(other.claim(worker));
    await okOf(sessions.send(id, 'hello'));
    await okOf(
      other.release(id, { fencingToken: claimed[0]?.lease.fencingToken ?? 0, done: true }),
    );
    expect(await claimedIds()).toEqual([id]);
  });

  test('does not wake a worker again if it is repeated', async () => {
    const { sessions, claimedIds } = open();
    const id = await startedIn(sessions);
    const message = { id: 'message-1', content: 'hello' };
    await okOf(sessions.send(id, message));
    const { claimed } = await okOf(sessions.claim(worker));
    await okOf(
      sessions.release(id, { fencingToken: claimed[0]?.lease.fencingToken ?? 0, done: true }),
    );
    expect(await okOf(sessions.send(id, message))).toMatchObject({ repeated: true });
    expect(await claimedIds()).toEqual([]);
  });

  test('keeps later changes correct: a command, an update, another message, a wake', async () => {
    const { sessions } = open();
    const id = await startedIn(sessions);
    await okOf(sessions.send(id, 'one'));
    expect(await okOf(sessions.pause(id))).toMatchObject({ status: 'PAUSED' });
    await okOf(sessions.send(id, 'two'));
    await okOf(sessions.update(id, { labels: { user: 'u-1' } }));
    await okOf(sessions.resume(id));
    await okOf(sessions.send(id, 'three'));
    await okOf(sessions.wake(id));
    const { claimed } = await okOf(sessions.claim(worker));
    expect(claimed.map(({ messages }) => messages.map(({ content }) => content))).toEqual([
      ['one', 'two', 'three'],
    ]);
  });
});

describe('rewind with wake', () => {
  test('rejects anything but a boolean', async () => {
    const { sessions } = open();
    const input = { to: 0, ifPosition: 0, wake: 'now' };
    const error = await errorOf(call(sessions, 'rewind', await startedIn(sessions), input));
    expect(error).toMatchObject({ type: 'invalid_input', issues: [{ path: 'wake' }] });
  });

  test('lets a worker answer the edited message', async () => {
    const { sessions, claimedIds } = open();
    const id = await startedIn(sessions);
    const { position } = await okOf(sessions.append(id, hello));
    const edit = {
      to: 0,
      ifPosition: position,
      entries: [{ role: 'user', content: 'Good morning' }],
    };
    const edited = await okOf(sessions.rewind(id, edit));
    expect(await claimedIds()).toEqual([]);
    await okOf(sessions.rewind(id, { ...edit, ifPosition: edited.position, wake: true }));
    expect(await claimedIds()).toEqual([id]);
    expect((await okOf(sessions.get(id))).history.map(({ content }) => content)).toEqual([
      'Good morning',
    ]);
  });
});

describe('getOrCreate with wake', () => {
  test('wakes the session that it creates, but not an existing one', async () => {
    const { sessions, claimedIds } = open();
    const input = { ...ada, id: 'talk', wake: true };
    await okOf(sessions.getOrCreate(input));
    const { claimed } = await okOf(sessions.claim(worker));
    expect(claimed.map(({ session }) => session.id)).toEqual(['talk']);
    await okOf(
      sessions.release('talk', { fencingToken: claimed[0]?.lease.fencingToken ?? 0, done: true }),
    );
    expect(await okOf(sessions.getOrCreate(input))).toMatchObject({ created: false });
    expect(await claimedIds()).toEqual([]);
  });
});

describe('create with wake', () => {
  test('is only repeated by the same wake under its idempotency key', async () => {
    const { sessions, claimedIds } = open();
    const input = { ...ada, idempotencyKey: 'one', wake: true };
    const { id } = await okOf(sessions.create(input));
    expect(await okOf(sessions.create(input))).toMatchObject({ id, repeated: true });
    const { wake: _, ...without } = input;
    expect(await errorOf(sessions.create(without))).toMatchObject({ type: 'idempotency_mismatch' });
    expect(await claimedIds()).toEqual([id]);
  });

  test('rejects anything but a boolean', async () => {
    const error = await errorOf(call(open().sessions, 'create', { ...ada, wake: 'now' }));
    expect(error).toMatchObject({ type: 'invalid_input', issues: [{ path: 'wake' }] });
  });
});
