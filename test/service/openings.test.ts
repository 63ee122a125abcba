import { describe, expect, it } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { SessionService, unwrap } from '../../src/index.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { ManualClock } from '../support/manual-clock.js';

const options = { face: 'ada', profile: 'tutor' };
const say = (content: string) => ({ role: 'user', content });

/** A service that records its store calls. */
const open = (settings: object = {}) => {
  const calls: string[] = [];
  const inner = new MemorySessionStore({ events: true });
  const noted: ProxyHandler<SessionStore> = {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        calls.push(String(name));
        return Reflect.apply(value, target, args);
      };
    },
  };
  const clock = new ManualClock();
  return {
    sessions: new SessionService({ store: new Proxy(inner, noted), clock, ...settings }),
    calls,
    clock,
  };
};

describe('a create with an opening', () => {
  it('starts the session and appends entries in one round trip', async () => {
    const { sessions, calls } = open();
    const begun = await unwrap(
      sessions.create({ ...options, start: true, entries: [say('a'), say('b')] }),
    );
    expect(calls).toEqual(['begin']);
    expect(begun).toMatchObject({
      status: 'ACTIVE',
      history: [say('a'), say('b')],
      historyCount: 2,
    });
    expect(await unwrap(sessions.get(begun.id))).toEqual(begun);
  });

  it('appends entries to a session that stays IDLE', async () => {
    const { sessions } = open();
    const { id } = await unwrap(sessions.create({ ...options, entries: [say('a')] }));
    expect(await unwrap(sessions.get(id))).toMatchObject({ status: 'IDLE', history: [say('a')] });
  });

  it('creates nothing at a limit', async () => {
    const { sessions } = open({ limits: { activeSessions: 1, historyEntries: 1 } });
    await unwrap(sessions.create({ ...options, start: true }));
    const refused = await sessions.create({ ...options, start: true, entries: [say('a')] });
    expect(refused._unsafeUnwrapErr()).toMatchObject({ type: 'too_many_active', limit: 1 });
    const tooLong = await sessions.create({ ...options, entries: [say('a'), say('b')] });
    expect(tooLong._unsafeUnwrapErr().type).toBe('history_full');
    expect((await unwrap(sessions.list())).total).toBe(1);
  });

  it('is recognised by its key, without entry times of its own, and is a mismatch with other input', async () => {
    const { sessions, clock } = open();
    const input = { ...options, start: true, entries: [say('a')], idempotencyKey: 'call-1' };
    const { id } = await unwrap(sessions.create(input));
    clock.pass(1000);
    expect(await unwrap(sessions.create(input))).toMatchObject({
      id,
      repeated: true,
      history: [say('a')],
    });
    for (const other of [
      { start: false },
      { entries: [say('b')] },
      { from: { id } },
      { behavior: 'Be kind.' },
    ]) {
      const refused = await sessions.create({ ...input, ...other });
      expect(refused._unsafeUnwrapErr().type).toBe('idempotency_mismatch');
    }
  });
});

describe('a fork', () => {
  it('copies in two round trips, and never reads the copy', async () => {
    const { sessions, calls } = open();
    const origin = await unwrap(sessions.create({ ...options, entries: [say('a'), say('b')] }));
    const [first] = (await unwrap(sessions.history(origin.id, { after: 0 }))).entries;
    calls.length = 0;
    const from = { id: origin.id, position: first?.position ?? 0 };
    const input = { ...options, from, entries: [say('c')], idempotencyKey: 'fork' };
    const fork = await unwrap(sessions.create(input));
    expect(calls).toEqual(['entries', 'begin']);
    expect(fork).toMatchObject({ history: [say('a'), say('c')], historyCount: 2, origin: from });
    expect((await unwrap(sessions.get(fork.id))).history).toMatchObject([say('a'), say('c')]);
    expect(await unwrap(sessions.create(input))).toMatchObject({
      id: fork.id,
      repeated: true,
      origin: from,
    });
  });

  it('fails with not_found for a missing or foreign session', async () => {
    const { sessions } = open();
    const { id } = await unwrap(sessions.create(options));
    const refused = await sessions.forTenant('another').create({ ...options, from: { id } });
    expect(refused._unsafeUnwrapErr()).toMatchObject({ type: 'not_found', id });
    expect((await unwrap(sessions.forTenant('another').list())).total).toBe(0);
  });

  it('fails with invalid_input for a wrong position, a size that is too large, or an unknown field', async () => {
    const { sessions } = open({ limits: { forkBytes: 2000, contentBytes: 2000 } });
    const entries = [say('x'.repeat(1500)), say('y'.repeat(1500))];
    const { id } = await unwrap(sessions.create({ ...options, entries }));
    const pathOf = async (from: { id: string; position?: number }) => {
      const error = (await sessions.create({ ...options, from }))._unsafeUnwrapErr();
      return error.type === 'invalid_input' ? error.issues[0]?.path : error.type;
    };
    expect(await pathOf({ id, position: 1_000_000 })).toBe('from.position');
    expect(await pathOf({ id, position: -1 })).toBe('from.position');
    expect(await pathOf({ id })).toBe('from');
    const misspelt = { id, positoin: 1 };
    expect(await pathOf(misspelt)).toMatch(/^from\.positoin$/);
  });
});
