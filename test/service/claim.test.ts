import { err, ok } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { storeUnavailable } from '../../src/session/errors.js';
import {
  ada,
  call,
  createdIn,
  errorOf,
  okOf,
  openSessions,
  startedIn,
} from '../support/sessions.js';
import { changed, TextSessionStore } from '../support/store-doubles.js';

const worker = { holder: 'worker-1', seconds: 10 };

const open = (store = new MemorySessionStore()) => {
  const bench = openSessions({ store });
  const { sessions } = bench;
  /** Creates sessions that wait for a worker, one millisecond apart. */
  const waiting = async (count: number): Promise<readonly string[]> => {
    const ids: string[] = [];
    for (let at = 0; at < count; at += 1) {
      ids.push((await okOf(sessions.create({ ...ada, wake: true }))).id);
      bench.clock.pass(1);
    }
    return ids;
  };
  const claim = async (limit = 100, holder = 'worker-2') =>
    (await okOf(sessions.claim({ ...worker, holder, limit }))).claimed;
  const claimedIds = async (limit?: number) =>
    (await claim(limit)).map(({ session }) => session.id);
  const claimOne = async () => {
    const [only, ...others] = await claim();
    if (only === undefined || others.length > 0) throw new Error('there is not one session');
    return { id: only.session.id, fencingToken: only.lease.fencingToken };
  };
  return { ...bench, waiting, claim, claimedIds, claimOne };
};

describe('claim', () => {
  test('returns the session that has waited longest for a worker, one by default', async () => {
    const { sessions, waiting, claimedIds } = open();
    const [first = '', second = '', third = ''] = await waiting(3);
    await createdIn(sessions);
    const { claimed, unreadable } = await okOf(sessions.claim(worker));
    expect([claimed.map(({ session }) => session.id), unreadable]).toEqual([[first], []]);
    expect(await claimedIds()).toEqual([second, third]);
    expect(await claimedIds()).toEqual([]);
  });

  test("returns each session without its history, and the caller's lease", async () => {
    const { sessions, clock, waiting } = open();
    const [id = ''] = await waiting(1);
    await okOf(sessions.start(id));
    await okOf(sessions.append(id, [{ role: 'user', content: 'hello' }]));
    clock.pass(999);
    const [claimed] = (await okOf(sessions.claim(worker))).claimed;
    const lease = {
      holder: 'worker-1',
      fencingToken: expect.any(Number),
      until: '2026-01-31T12:00:11.000Z',
    };
    const session = await okOf(sessions.get(id, { historyLimit: 0 }));
    const waitingSince = '2026-01-31T12:00:00.000Z';
    const end = { start: 1, position: 1 };
    expect(claimed).toEqual({
      tenant: 'default',
      session,
      ...end,
      lease,
      attempt: 1,
      turn: 1,
      messages: [],
      woken: true,
      waitingSince,
    });
    expect(claimed?.session).toMatchObject({ lease, history: [], historyCount: 1 });
  });

  test('hides the session while the lease lasts, and returns it again afterwards', async () => {
    const { sessions, clock, waiting, claimedIds } = open();
    const [id = ''] = await waiting(1);
    const [claimed] = (await okOf(sessions.claim(worker))).claimed;
    clock.pass(9000);
    await okOf(sessions.renew(id, { fencingToken: claimed?.lease.fencingToken ?? 0, seconds: 5 }));
    clock.pass(4999);
    expect(await claimedIds()).toEqual([]);
    clock.pass(1001);
    expect(await claimedIds()).toEqual([id]);
  });

  test('returns no session that has ended or is overdue', async () => {
    const { sessions, clock, claimedIds } = open();
    const [over, expired] = [
      await startedIn(sessions),
      await startedIn(sessions, { timeLimit: 5 }),
    ];
    for (const id of [over, expired]) await okOf(sessions.wake(id));
    await okOf(sessions.terminate(over));
    clock.pass(5000);
    expect(await claimedIds()).toEqual([]);
    expect((await okOf(sessions.get(expired))).lease).toBeUndefined();
  });

  test('returns no leased session until that lease ends', async () => {
    const { sessions, clock, waiting, claimedIds } = open();
    const [released = '', left = ''] = await waiting(2);
    const lease = await okOf(sessions.lease(released, worker));
    await okOf(sessions.lease(left, worker));
    expect(await claimedIds()).toEqual([]);
    await okOf(sessions.release(released, lease && { fencingToken: lease.fencingToken }));
    expect(await claimedIds()).toEqual([released]);
    clock.pass(10_000);
    expect(await claimedIds()).toContain(left);
  });

  test('returns no session of another tenant', async () => {
    const { sessions, claimedIds } = open();
    await okOf(sessions.forTenant('globex').create({ ...ada, wake: true }));
    expect(await claimedIds()).toEqual([]);
    expect((await okOf(sessions.forTenant('globex').claim(worker))).claimed).toHaveLength(1);
  });

  test.each([
    ['10 s', { seconds: 30 }, 10_000],
    ['the length of a shorter lease', { seconds: 2 }, 2000],
  ])(
    'lets another claim find the session after %s if its process dies before the lease',
    async (_, more, ms) => {
      const given = { ...worker, ...more };
      const inner = new MemorySessionStore();
      let isDead = true;
      const store = changed(inner, {
        put: (commit) =>
          isDead ? err(storeUnavailable('it is away', 'not_applied')) : inner.change(commit),
      });
      const { sessions, clock } = openSessions({ store });
      const { id } = await okOf(sessions.create({ ...ada, wake: true }));
      expect(await errorOf(sessions.claim(given))).toMatchObject({ type: 'store_unavailable' });
      isDead = false;
      clock.pass(ms - 1);
      expect((await okOf(sessions.claim(given))).claimed).toEqual([]);
      clock.pass(1);
      expect((await okOf(sessions.claim(given))).claimed).toMatchObject([{ session: { id } }]);
    },
  );

  test('names an unreadable session, and returns the others', async () => {
    const store = new TextSessionStore();
    const { sessions } = openSessions({ store });
    const [bad, good] = [
      await okOf(sessions.create({ ...ada, wake: true })),
      await okOf(sessions.create({ ...ada, wake: true })),
    ];
    store.damage({ tenant: 'default', id: bad.id }, 'state');
    const { claimed, unreadable } = await okOf(sessions.claim({ ...worker, limit: 10 }));
    expect([claimed.map(({ session }) => session.id), unreadable]).toEqual([[good.id], [bad.id]]);
  });

  test('returns the error of a store that cannot hand out or lease sessions', async () => {
    const away = storeUnavailable('it is away', 'not_applied');
    const inner = new MemorySessionStore();
    await okOf(openSessions({ store: inner }).sessions.create({ ...ada, wake: true }));
    const none = ok({ sessions: [], failed: [away], hasMore: false });
    for (const changes of [
      { take: () => err(away) },
      { take: () => none },
      { put: () => err(away) },
    ]) {
      const { sessions } = openSessions({ store: changed(inner, changes) });
      expect(await errorOf(sessions.claim(worker))).toEqual(away);
    }
  });

  test.each([
    [undefined, ['input', 'holder', 'seconds']],
    [{}, ['holder', 'seconds']],
    [{ holder: '', seconds: 0 }, ['holder', 'seconds']],
    [{ ...worker, limit: 0 }, ['limit']],
    [{ ...worker, limit: 1.5 }, ['limit']],
    [{ ...worker, count: 5 }, ['count']],
  ])('fails with invalid_input that names the fields, for %j', async (input, paths) => {
    const error = await errorOf(call(open().sessions, 'claim', input));
    expect(error.type === 'invalid_input' && error.issues.map(({ path }) => path)).toEqual(paths);
  });
});

describe('release of a claim', () => {
  test('ends the work with done', async () => {
    const { sessions, clock, waiting, claimOne, claimedIds } = open();
    await waiting(1);
    const { id, fencingToken } = await claimOne();
    await okOf(sessions.release(id, { fencingToken, done: true }));
    clock.pass(1_000_000);
    expect(await claimedIds()).toEqual([]);
  });

  test('makes the session claimable after a delay without done, which doubles with each attempt', async () => {
    const { sessions, clock, waiting, claimOne, claimedIds } = open();
    await waiting(1);
    for (const longestMs of [1000, 2000, 4000]) {
      const { id, fencingToken } = await claimOne();
      await okOf(sessions.release(id, { fencingToken }));
      clock.pass(longestMs / 2 - 1);
      expect(await claimedIds()).toEqual([]);
      clock.pass(longestMs / 2 + 1);
    }
  });

  test('exhausts the session without done in the last attempt, until it is woken and claimed', async () => {
    const { sessions, clock, waiting, claim, claimedIds } = open();
    const [id = ''] = await waiting(1);
    const [claimed] = (await okOf(sessions.claim({ ...worker, attempts: 1 }))).claimed;
    await okOf(sessions.release(id, { fencingToken: claimed?.lease.fencingToken ?? 0 }));
    clock.pass(1_000_000);
    expect(await claimedIds()).toEqual([]);
    const found = await okOf(sessions.list({ labels: { 'colloquy.work': 'exhausted' } }));
    expect(found.sessions).toMatchObject([{ id, work: { state: 'exhausted', attempt: 1 } }]);
    await okOf(sessions.wake(id));
    const since = new Date(clock.now()).toISOString();
    expect((await okOf(sessions.get(id))).work).toMatchObject({ state: 'waiting', since });
    expect(await claim()).toMatchObject([{ attempt: 1, session: { labels: {} } }]);
  });

  test('is counted as an attempt if the worker crashed', async () => {
    const { clock, sessions, waiting, claim, claimedIds } = open();
    const [id = ''] = await waiting(1);
    const twice = { ...worker, attempts: 2 };
    expect((await okOf(sessions.claim(twice))).claimed).toMatchObject([{ attempt: 1 }]);
    clock.pass(11_000);
    expect((await okOf(sessions.claim(twice))).claimed).toMatchObject([{ attempt: 2 }]);
    clock.pass(10_000);
    expect(await claim()).toEqual([]);
    expect((await okOf(sessions.get(id))).work).toMatchObject({
      state: 'exhausted',
      attempt: 2,
    });
    expect(await claimedIds()).toEqual([]);
  });

  test('ends the work with done even after the lease expired, unless another worker has claimed it', async () => {
    const { sessions, clock, waiting, claimOne, claimedIds } = open();
    await waiting(1);
    const { id, fencingToken } = await claimOne();
    clock.pass(10_000);
    await okOf(sessions.release(id, { fencingToken, done: true }));
    expect(await claimedIds()).toEqual([]);
    await okOf(sessions.wake(id));
    const first = await claimOne();
    clock.pass(11_000);
    const second = await claimOne();
    const late = sessions.release(id, { fencingToken: first.fencingToken, done: true });
    expect(await errorOf(late)).toMatchObject({ type: 'lease_lost' });
    await okOf(sessions.release(id, { fencingToken: second.fencingToken }));
    clock.pass(2000);
    expect(await claimedIds()).toEqual([id]);
  });

  test('keeps a wake that came after the claim, even with done', async () => {
    const { sessions, waiting, claimOne, claimedIds } = open();
    await waiting(1);
    const { id, fencingToken } = await claimOne();
    await okOf(sessions.wake(id));
    expect(await claimedIds()).toEqual([]);
    await okOf(sessions.release(id, { fencingToken, done: true }));
    expect(await claimedIds()).toEqual([id]);
  });

  test('is decided by the outcome of withLease if the same holder uses it, done or not', async () => {
    const { sessions, clock, waiting, claim, claimedIds } = open();
    const [id = ''] = await waiting(1);
    await claim(1, 'worker-1');
    await okOf(sessions.withLease(id, worker, () => undefined));
    clock.pass(1000);
    expect(await claimedIds()).toEqual([id]);
    const again = { holder: 'worker-2', seconds: 10 };
    await okOf(
      sessions.withLease(id, again, async ({ fencingToken }) =>
        okOf(sessions.release(id, { fencingToken, done: true })),
      ),
    );
    expect(await claimedIds()).toEqual([]);
  });

  test.each([
    [{ fencingToken: 1, done: 'yes' }, 'done'],
    [{ fencingToken: 1, isDone: true }, 'isDone'],
  ])('fails with invalid_input that names the field, for %j', async (input, path) => {
    const { sessions, waiting } = open();
    const [id] = await waiting(1);
    const error = await errorOf(call(sessions, 'release', id, input));
    expect(error).toMatchObject({ type: 'invalid_input', issues: [{ path }] });
  });
});
