import { expect, it } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { SessionService, unwrap } from '../../src/index.js';
import { ManualClock } from '../support/manual-clock.js';

const last = [{ role: 'user', content: 'Goodbye.' }];

const open = (settings: object = {}) => {
  const clock = new ManualClock();
  const store = new MemorySessionStore();
  return {
    clock,
    store,
    sessions: new SessionService({ store, clock, gracePeriod: 10, ...settings }),
  };
};

const begun = { face: 'ada', profile: 'tutor', timeLimit: 100, start: true };

it.each([
  ['terminate', {}, 'terminated'],
  ['the time limit', {}, 'time_limit'],
  ['inactivity', { inactivityTimeout: 50 }, 'inactive'],
])(
  'entries are accepted during the grace period after an end by %s, and change nothing else',
  async (by, settings, endReason) => {
    const { clock, sessions } = open(settings);
    const { id } = await unwrap(sessions.create(begun));
    if (by === 'terminate') await unwrap(sessions.terminate(id));
    else clock.pass(by === 'inactivity' ? 50_000 : 100_000);
    const { history: _, historyCount: __, ...ended } = await unwrap(sessions.get(id));
    expect(ended).toMatchObject({ status: 'TERMINATED', endReason });
    clock.pass(9999);
    await unwrap(sessions.append(id, last));
    expect(await unwrap(sessions.get(id))).toMatchObject({ ...ended, historyCount: 1 });
    clock.pass(1);
    expect((await sessions.append(id, last))._unsafeUnwrapErr().type).toBe('invalid_transition');
  },
);

it('a grace period is stored in whole milliseconds', async () => {
  const { sessions, store } = open({ gracePeriod: 0.057 });
  const { id } = await unwrap(sessions.create(begun));
  const state = (await store.findState({ tenant: 'default', id }))._unsafeUnwrap();
  expect(state?.terms.graceMs).toBe(57);
});

it('a session that never started accepts entries from its end on', async () => {
  const { sessions } = open();
  const { id } = await unwrap(sessions.create({ face: 'ada', profile: 'tutor' }));
  expect((await sessions.append(id, last))._unsafeUnwrapErr().type).toBe('invalid_transition');
  await unwrap(sessions.fail(id));
  expect((await sessions.append(id, last)).isOk()).toBe(true);
});

it('the grace period is stored with the session, and is at most 30 days', async () => {
  const { clock, sessions } = open();
  const { id } = await unwrap(sessions.create(begun));
  await unwrap(sessions.terminate(id));
  clock.pass(9999);
  expect((await sessions.append(id, last)).isOk()).toBe(true);
  expect(() => open({ gracePeriod: 30 * 24 * 3600 + 1 })).toThrow(/gracePeriod/);
  expect(() => open({ gracePeriod: -1 })).toThrow(/gracePeriod/);
});
