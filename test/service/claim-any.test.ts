import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { ClaimedSession, Claims } from '../../src/service/operation-results.js';
import type { StateChange } from '../../src/store/commit.js';
import { ada, okOf, openSessions } from '../support/sessions.js';
import { changed, staleOf } from '../support/store-doubles.js';

const worker = { holder: 'worker-1', seconds: 10, limit: 10 };

describe('claimAny', () => {
  test('returns sessions of all tenants with their tenant, whereas claim returns sessions of one tenant', async () => {
    const { sessions } = openSessions();
    for (const tenant of ['acme', 'globex'])
      await okOf(sessions.forTenant(tenant).create({ ...ada, wake: true }));
    expect((await okOf(sessions.claim(worker))).claimed).toEqual([]);
    const { claimed } = await okOf(sessions.claimAny(worker));
    expect(claimed.map(({ tenant }) => tenant).sort()).toEqual(['acme', 'globex']);
  });

  test("serves a tenant within two claims with a limit of one, despite another's backlog", async () => {
    const { sessions, clock } = openSessions();
    const wake = (tenant: string) =>
      okOf(sessions.forTenant(tenant).create({ ...ada, wake: true }));
    for (let count = 0; count < 20; count += 1) await wake('busy');
    clock.pass(1000);
    const tenants: string[] = [];
    const claimOne = async () => {
      const { claimed } = await okOf(sessions.claimAny({ ...worker, limit: 1 }));
      tenants.push(...claimed.map(({ tenant }) => tenant));
    };
    await claimOne();
    await wake('calm');
    for (let count = 0; count < 2; count += 1) await claimOne();
    expect(tenants).toContain('calm');
  });

  test('returns only the session whose lease expired', async () => {
    const { sessions, clock } = openSessions();
    for (let count = 0; count < 4; count += 1) await okOf(sessions.create({ ...ada, wake: true }));
    const first = await okOf(sessions.claimAny({ ...worker, limit: 2 }));
    expect(first.claimed.map(({ isAlone }) => isAlone)).toEqual([undefined, undefined]);
    clock.pass(11_000);
    const claims: (readonly ClaimedSession[])[] = [];
    for (let count = 0; count < 3; count += 1)
      claims.push((await okOf(sessions.claimAny({ ...worker, limit: 10 }))).claimed);
    const alone = claims.filter((claimed) => claimed.some(({ isAlone }) => isAlone));
    expect(alone.map(({ length }) => length)).toEqual([1, 1]);
    expect(claims.flat()).toHaveLength(4);
  });

  test('shares its limit between the tenants', async () => {
    const { sessions, clock } = openSessions();
    for (let count = 0; count < 20; count += 1)
      await okOf(sessions.forTenant('busy').create({ ...ada, wake: true }));
    clock.pass(1000);
    await okOf(sessions.forTenant('calm').create({ ...ada, wake: true }));
    const { claimed } = await okOf(sessions.claimAny(worker));
    expect(claimed.filter(({ tenant }) => tenant === 'calm')).toHaveLength(1);
  });
});

describe('a claim', () => {
  test('skips a session that another caller changes, and returns the others', async () => {
    const memory = new MemorySessionStore();
    const inner = changed(memory, {});
    const put = (commit: StateChange) =>
      commit.key.id === 's1' ? staleOf(commit) : inner.change(commit);
    const { sessions } = openSessions({ store: changed(memory, { put }) });
    for (let count = 0; count < 2; count += 1) await okOf(sessions.create({ ...ada, wake: true }));
    const { claimed } = await okOf(sessions.claim(worker));
    expect(claimed.map(({ session }) => session.id)).toEqual(['s2']);
  });

  test('skips overdue sessions, and continues with the next', async () => {
    const { sessions, clock } = openSessions();
    for (let count = 0; count < 300; count += 1) {
      await okOf(sessions.create({ ...ada, timeLimit: 1, start: true, wake: true }));
    }
    clock.pass(1000);
    const { id } = await okOf(sessions.create({ ...ada, wake: true }));
    expect((await okOf(sessions.countWaiting())).count).toBe(1);
    const { claimed } = await okOf(sessions.claim({ holder: 'worker-1', seconds: 10 }));
    expect(claimed).toMatchObject([{ session: { id } }]);
  });

  test.each(['expired', 'changed by another caller'])(
    'returns no more than its limit, even if the first sessions were %s',
    async (kind) => {
      const memory = new MemorySessionStore();
      const inner = changed(memory, {});
      const passedOver = kind === 'expired' ? [] : ['s1', 's2'];
      const put = (commit: StateChange) =>
        passedOver.includes(commit.key.id) ? staleOf(commit) : inner.change(commit);
      const { sessions, clock } = openSessions({ store: changed(memory, { put }) });
      for (let count = 1; count <= 8; count += 1) {
        const timeLimit = count > 2 ? 0 : 1;
        await okOf(sessions.create({ ...ada, timeLimit, start: true, wake: true }));
      }
      clock.pass(passedOver.length === 0 ? 1000 : 1);
      const idsOf = ({ claimed }: Claims) => claimed.map(({ session }) => session.id);
      const claims = await okOf(sessions.claim({ ...worker, limit: 3 }));
      expect(idsOf(claims)).toEqual(['s3', 's4', 's5']);
      expect(idsOf(await okOf(sessions.claim(worker)))).toEqual(['s6', 's7', 's8']);
    },
  );

  const entries = ['one', 'two', 'three'].map((content) => ({ role: 'user', content }));
  const contentsIn = ({ claimed }: Claims) =>
    claimed.map(({ session }) => session.history.map(({ content }) => content));

  test('returns the latest entries of each history on demand, and the end of the history', async () => {
    const { sessions } = openSessions();
    const { id } = await okOf(sessions.create({ ...ada, start: true, entries, wake: true }));
    await okOf(sessions.rewind(id, { to: 2, ifPosition: 3 }));
    const claims = await okOf(sessions.claim({ ...worker, historyLimit: 1 }));
    expect(contentsIn(claims)).toEqual([['two']]);
    const [found] = claims.claimed;
    expect(found).toMatchObject({ session: { historyCount: 2 }, start: 1 });
    const { fencingToken = 0 } = found?.lease ?? {};
    const { position: ifPosition = 0 } = found ?? {};
    const { position } = await okOf(sessions.append(id, entries, { ifPosition }));
    await okOf(sessions.release(id, { fencingToken, done: true }));
    await okOf(sessions.wake(id));
    const { claimed } = await okOf(sessions.claim({ ...worker, historyLimit: 0 }));
    expect(claimed).toMatchObject([{ session: { history: [] }, start: position, position }]);
  });

  test('shortens long histories to a total of bytes, with at least one entry each', async () => {
    const { sessions } = openSessions({ limits: { pageBytes: 4000 } });
    const long = entries.map((entry) => ({ ...entry, content: entry.content.padEnd(1000) }));
    for (let count = 0; count < 5; count += 1)
      await okOf(sessions.create({ ...ada, start: true, entries: long, wake: true }));
    const claim = { ...worker, limit: 1, historyLimit: 10_000 };
    const [alone] = contentsIn(await okOf(sessions.claim(claim)));
    expect(alone).toHaveLength(3);
    const four = contentsIn(await okOf(sessions.claim({ ...claim, limit: 4 })));
    expect(four.map((contents) => contents.map((text) => text.trim()))).toEqual(
      Array.from({ length: 4 }, () => ['three']),
    );
  });

  test.each([
    [{ attempts: 0 }, 'attempts'],
    [{ attempts: 1001 }, 'attempts'],
    [{ historyLimit: -1 }, 'historyLimit'],
  ])('fails with invalid_input that names the field, for %j', async (input, path) => {
    const { sessions } = openSessions();
    const result = await sessions.claim({ ...worker, ...input });
    expect(result._unsafeUnwrapErr()).toMatchObject({ type: 'invalid_input', issues: [{ path }] });
  });
});

describe('labels that start with colloquy.', () => {
  test('are rejected from callers', async () => {
    const { sessions } = openSessions();
    const labels = { 'colloquy.work': 'exhausted' };
    const { id } = await okOf(sessions.create(ada));
    for (const result of [
      await sessions.create({ ...ada, labels }),
      await sessions.update(id, { labels }),
    ]) {
      expect(result._unsafeUnwrapErr()).toMatchObject({
        type: 'invalid_input',
        issues: [{ path: 'labels' }],
      });
    }
  });
});
