import { ok } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { createSweeper, type EndedSession, SessionService } from '../../src/index.js';
import { NOON, pass } from '../support/manual-clock.js';
import {
  ada,
  createdIn,
  errorOf,
  type OpenOptions,
  okOf,
  openSessions,
  startedIn,
} from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';

const MINUTE = 60_000;

const at = (ms: number): string => new Date(NOON + ms).toISOString();

const open = (options: OpenOptions = {}) => {
  const opened = openSessions({ reportEnds: true, ...options });
  const told: EndedSession[] = [];
  const sweep = (sessions = opened.sessions) =>
    okOf(createSweeper(sessions, { onEnded: (session) => told.push(session) }).sweepOnce());
  return { ...opened, told, sweep };
};

describe('the report of an end', () => {
  test.each([
    ['terminate', 'terminated'],
    ['fail', 'failed'],
    ['delete', 'deleted'],
  ] as const)('is sent for an end by %s, with what a bill needs', async (command, endReason) => {
    const { sessions, clock, told, sweep } = open();
    const acme = sessions.forTenant('acme');
    clock.pass(100);
    const { id } = await okOf(acme.create({ ...ada, labels: { customer: 'c-1' } }));
    clock.pass(100);
    await okOf(acme.start(id));
    clock.pass(1250);
    await okOf(acme.pause(id));
    clock.pass(5000);
    await okOf(acme.resume(id));
    clock.pass(250);
    expect((await acme[command](id)).isOk()).toBe(true);
    clock.pass(10_000);
    expect(await sweep()).toEqual({ ended: 0, reported: 1, deleted: 0, failed: 0 });
    const times = { duration: 1, durationMs: 1500, startedAt: at(200), endedAt: at(6700) };
    expect(told).toEqual([
      { tenant: 'acme', id, endReason, labels: { customer: 'c-1' }, ...times },
    ]);
    expect(await sweep()).toEqual({ ended: 0, reported: 0, deleted: 0, failed: 0 });
    expect(told).toHaveLength(1);
  });

  test('is sent if an overdue session is deleted before its end is stored', async () => {
    const { sessions, clock, told, sweep } = open();
    const id = await startedIn(sessions, { timeLimit: 2 });
    clock.pass(10_000);
    await okOf(sessions.delete(id));
    await sweep();
    expect(told).toMatchObject([
      { id, endReason: 'time_limit', durationMs: 2000, endedAt: at(2000) },
    ]);
  });

  test('contains no start if the session was never started', async () => {
    const { sessions, clock, told, sweep } = open({ idleTimeout: 60 });
    const ids = [await createdIn(sessions), await createdIn(sessions)];
    await okOf(sessions.delete(String(ids[1])));
    clock.pass(MINUTE);
    await sweep();
    expect(
      told.map(({ id, endReason, durationMs }) => [id, endReason, durationMs]).toSorted(),
    ).toEqual([
      [ids[0], 'idle_timeout', 0],
      [ids[1], 'deleted', 0],
    ]);
    for (const each of told) expect(each).not.toHaveProperty('startedAt');
  });

  test('is sent once if an ended session is deleted before the report, and not again after it', async () => {
    const { sessions, told, sweep } = open();
    const [first, second] = [await startedIn(sessions), await startedIn(sessions)];
    await okOf(sessions.terminate(first));
    await okOf(sessions.delete(first));
    await okOf(sessions.terminate(second));
    await sweep();
    await okOf(sessions.delete(second));
    await sweep();
    expect(told.map(({ id, endReason }) => [id, endReason]).toSorted()).toEqual([
      [first, 'terminated'],
      [second, 'terminated'],
    ]);
  });

  test('is sent once per session of an idempotency key, and not again for a repeated create', async () => {
    const { sessions, told, sweep, clock } = open();
    const keyed = { ...ada, idempotencyKey: 'lesson' };
    const lives: string[] = [];
    for (const life of ['first', 'second', 'third']) {
      const { id } = await okOf(sessions.create({ ...keyed, labels: { life } }));
      lives.push(id);
      await okOf(sessions.start(id));
      if (life === 'third') await okOf(sessions.terminate(id));
      else await okOf(sessions.delete(id));
    }
    for (let turn = 0; turn < 3; turn += 1) {
      await sweep();
      expect(await okOf(sessions.create({ ...keyed, labels: { life: 'third' } }))).toMatchObject({
        id: lives[2],
      });
      clock.pass(MINUTE);
    }
    expect(new Set(lives).size).toBe(1);
    expect(told.map(({ labels, endReason }) => [labels['life'], endReason]).toSorted()).toEqual([
      ['first', 'deleted'],
      ['second', 'deleted'],
      ['third', 'terminated'],
    ]);
  });

  test('is still pending while the deleted session is gone for readers', async () => {
    const { sessions, told, sweep } = open({
      store: new MemorySessionStore({ events: true, reportEnds: true }),
    });
    const id = await startedIn(sessions);
    await okOf(sessions.delete(id));
    expect(await errorOf(sessions.get(id))).toMatchObject({ type: 'not_found' });
    expect(await errorOf(sessions.terminate(id))).toMatchObject({ type: 'not_found' });
    expect((await okOf(sessions.list())).total).toBe(0);
    await sweep();
    expect(told).toHaveLength(1);
  });

  test('is not due if the deployment has reportEnds off', async () => {
    const { sessions, clock } = openSessions({ retention: 10 });
    const ids = [await startedIn(sessions, { timeLimit: 1 }), await startedIn(sessions)];
    await okOf(sessions.terminate(String(ids[1])));
    await okOf(sessions.delete(await startedIn(sessions)));
    clock.pass(1000);
    const sweeper = createSweeper(sessions);
    expect(await okOf(sweeper.sweepOnce())).toEqual({
      ended: 1,
      reported: 0,
      deleted: 0,
      failed: 0,
    });
    clock.pass(10_000);
    expect(await okOf(sweeper.sweepOnce())).toEqual({
      ended: 0,
      reported: 0,
      deleted: 2,
      failed: 0,
    });
    expect((await okOf(sessions.list())).total).toBe(0);
  });
});

describe('a process with other settings', () => {
  /** The service of another process on the same store. */
  const other = ({ store, clock }: ReturnType<typeof open>, options = {}) =>
    new SessionService({ store, clock, ...options });

  test('keeps the promises made to a session, whatever its own settings', async () => {
    const opened = open({ retention: 3600, idleTimeout: 30, reportEnds: false });
    const { sessions, clock } = opened;
    const theirs = other(opened, { retention: 1, idleTimeout: 5 });
    const [idle, terminated] = [await createdIn(sessions), await startedIn(sessions)];
    await okOf(theirs.terminate(terminated));
    clock.pass(29_999);
    expect(await okOf(theirs.get(idle))).toMatchObject({ status: 'IDLE' });
    clock.pass(1);
    expect(await okOf(createSweeper(theirs).sweepOnce())).toMatchObject({ ended: 1, deleted: 0 });
    clock.pass(3600_000 - 30_000 - 1);
    expect(await okOf(createSweeper(theirs).sweepOnce())).toMatchObject({ deleted: 0 });
    clock.pass(1);
    expect(await okOf(createSweeper(theirs).sweepOnce())).toMatchObject({ deleted: 1 });
    clock.pass(30_000);
    expect(await okOf(createSweeper(theirs).sweepOnce())).toMatchObject({ deleted: 1 });
    expect((await okOf(sessions.list())).total).toBe(0);
  });

  test('does not sweep without onEnded if the deployment reports ends', async () => {
    const opened = open({ retention: 10 });
    const { sessions, clock, told, sweep } = opened;
    const ids = [await startedIn(sessions, { timeLimit: 1 }), await startedIn(sessions)];
    await okOf(sessions.terminate(String(ids[1])));
    clock.pass(MINUTE);
    const error = await errorOf(createSweeper(other(opened)).sweepOnce());
    expect(error).toMatchObject({
      type: 'misconfigured',
      message: expect.stringContaining('reportEnds'),
    });
    expect((await okOf(sessions.list({ status: 'TERMINATED' }))).total).toBe(2);
    expect(await sweep(other(opened))).toMatchObject({ ended: 1, reported: 2 });
    expect(told.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
  });

  test('does not sweep with onEnded if the deployment reports no ends', async () => {
    const { sessions, clock } = openSessions();
    await startedIn(sessions, { timeLimit: 1 });
    clock.pass(MINUTE);
    const error = await errorOf(createSweeper(sessions, { onEnded: () => undefined }).sweepOnce());
    expect(error).toMatchObject({
      type: 'misconfigured',
      message: expect.stringContaining('reportEnds'),
    });
    expect(await okOf(createSweeper(sessions).sweepOnce())).toMatchObject({ ended: 1 });
  });

  test('forgets pending reports after the deployment has stopped reporting ends', async () => {
    const opened = open({ retention: 10 });
    const { sessions, clock, store } = opened;
    const ids = [await startedIn(sessions), await startedIn(sessions)];
    await okOf(sessions.terminate(String(ids[0])));
    await okOf(sessions.delete(String(ids[1])));
    const silent = new SessionService({
      store: changed(store, { reportsEnds: () => ok(false) }),
      clock,
    });
    expect(await okOf(createSweeper(silent).sweepOnce())).toMatchObject({ reported: 0, failed: 0 });
    clock.pass(10_000);
    expect(await okOf(createSweeper(silent).sweepOnce())).toMatchObject({ deleted: 1 });
    const due = (await store.due(Number.MAX_SAFE_INTEGER, 10))._unsafeUnwrap();
    expect(due.sessions).toEqual([]);
  });
});

test('an end is reported even during the report of an earlier session with the same id', async () => {
  const { sessions, clock, told } = open();
  const begin = () => okOf(sessions.create({ ...ada, id: 'call-1', timeLimit: 1, start: true }));
  const sweepWith = (onEnded: (session: EndedSession) => unknown) =>
    okOf(createSweeper(sessions, { onEnded }).sweepOnce());
  await begin();
  clock.pass(1000);
  const first = sweepWith((session) => {
    told.push(session);
    return new Promise<void>((done) => clock.after(30_000, done));
  });
  await pass(clock, 1000);
  await okOf(sessions.delete('call-1'));
  await begin();
  clock.pass(1000);
  await sweepWith(() => Promise.reject(new Error('no')));
  await pass(clock, 30_000);
  await first;
  clock.pass(MINUTE);
  await sweepWith((session) => told.push(session));
  expect(told.map(({ endedAt }) => endedAt)).toContain(at(3000));
});
