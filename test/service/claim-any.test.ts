import { ok } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { ada, okOf, openSessions } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';

const worker = { holder: 'worker-1', seconds: 10, limit: 10 };

describe('claimAny', () => {
  test('gives the sessions of all tenants, each with its tenant, and claim those of its own alone', async () => {
    const { sessions } = openSessions();
    for (const tenant of ['acme', 'globex'])
      await okOf(sessions.forTenant(tenant).create({ ...ada, wake: true }));
    expect((await okOf(sessions.claim(worker))).claimed).toEqual([]);
    const { claimed } = await okOf(sessions.claimAny(worker));
    expect(claimed.map(({ tenant }) => tenant).sort()).toEqual(['acme', 'globex']);
  });

  test('shares what it gives between the tenants', async () => {
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
  test('leaves a session that another caller changes meanwhile, and gives the others', async () => {
    const memory = new MemorySessionStore();
    const inner = changed(memory, {});
    const replace: SessionStore['replace'] = (key, ...rest) =>
      key.id === 's1' ? ok('stale') : inner.replace(key, ...rest);
    const { sessions } = openSessions({ store: changed(memory, { replace }) });
    for (let count = 0; count < 2; count += 1) await okOf(sessions.create({ ...ada, wake: true }));
    const { claimed } = await okOf(sessions.claim(worker));
    expect(claimed.map(({ session }) => session.id)).toEqual(['s2']);
  });

  test('passes over sessions that the clock has ended, and goes on to the next', async () => {
    const { sessions, clock } = openSessions();
    for (let count = 0; count < 3; count += 1) {
      await okOf(sessions.create({ ...ada, timeLimit: 1, start: true, wake: true }));
    }
    clock.pass(1000);
    const { id } = await okOf(sessions.create({ ...ada, wake: true }));
    const { claimed } = await okOf(sessions.claim({ holder: 'worker-1', seconds: 10 }));
    expect(claimed).toMatchObject([{ session: { id } }]);
  });

  test('gives the latest entries of each history on demand', async () => {
    const { sessions } = openSessions();
    const entries = ['one', 'two', 'three'].map((content) => ({ role: 'user', content }));
    await okOf(sessions.create({ ...ada, start: true, entries, wake: true }));
    const { claimed } = await okOf(sessions.claim({ ...worker, historyLimit: 2 }));
    const contents = claimed.map(({ session }) => session.history.map(({ content }) => content));
    expect(contents).toEqual([['two', 'three']]);
  });

  test.each([
    [{ attempts: 0 }, 'attempts'],
    [{ attempts: 1001 }, 'attempts'],
    [{ historyLimit: -1 }, 'historyLimit'],
  ])('with %j is invalid_input that names the field', async (input, path) => {
    const { sessions } = openSessions();
    const result = await sessions.claim({ ...worker, ...input });
    expect(result._unsafeUnwrapErr()).toMatchObject({ type: 'invalid_input', issues: [{ path }] });
  });
});

describe('labels that begin with colloquy.', () => {
  test('are refused from callers', async () => {
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
