import { describe, expect, test } from 'vitest';
import type { Counters } from '../../src/session/session.js';
import { describeStores } from '../support/describe-stores.js';
import { ada, errorOf, okOf, openSessions } from '../support/sessions.js';

describeStores('budgets', (openStore) => {
  const open = async (budget: Counters | undefined, input = {}, options = {}) => {
    const bench = openSessions({ store: await openStore(), ...options });
    const { sessions } = bench;
    const { id } = await okOf(sessions.create({ ...ada, start: true, budget, ...input }));
    const read = () => okOf(sessions.get(id));
    return { ...bench, id, read };
  };
  const said = (content: string) => [{ role: 'assistant', content }];

  test('count spends in any status until the end', async () => {
    const budget = { tokens: 100, microUsd: 50 };
    const { sessions, id, read } = await open(budget, { start: false });
    expect(await read()).toMatchObject({ budget, usage: { tokens: 0, microUsd: 0 } });
    await okOf(sessions.spend(id, { tokens: 1 }));
    await okOf(sessions.start(id));
    await okOf(sessions.spend(id, { tokens: 2, microUsd: 5 }));
    await okOf(sessions.append(id, said('Yes.'), { usage: { tokens: 3 } }));
    await okOf(sessions.pause(id));
    await okOf(sessions.spend(id, { tokens: 4 }));
    expect(await read()).toMatchObject({
      status: 'PAUSED',
      usage: { tokens: 10, microUsd: 5 },
      historyCount: 1,
    });
    await okOf(sessions.terminate(id));
    expect(await errorOf(sessions.spend(id, { tokens: 1 }))).toMatchObject({
      type: 'invalid_transition',
      command: 'spend',
    });
  });

  test('end the session with the write that reaches them, for every reader', async () => {
    const { sessions, store, clock, id, read } = await open({ tokens: 10 });
    clock.pass(5000);
    await okOf(sessions.append(id, said('one'), { usage: { tokens: 9 } }));
    expect(await read()).toMatchObject({ status: 'ACTIVE' });
    await okOf(sessions.append(id, said('two'), { usage: { tokens: 20 } }));
    const ended = {
      status: 'TERMINATED',
      endReason: 'budget',
      endedAt: '2026-01-31T12:00:05.000Z',
      duration: 5,
      usage: { tokens: 29 },
    };
    expect(await read()).toMatchObject({ ...ended, historyCount: 2 });
    expect(await errorOf(sessions.append(id, said('three')))).toMatchObject({
      type: 'invalid_transition',
      status: 'TERMINATED',
    });
    const { sessions: other, clock: slow } = openSessions({ store });
    expect(slow.now()).toBeLessThan(clock.now());
    expect(await okOf(other.get(id))).toMatchObject(ended);
    expect(await errorOf(other.append(id, said('three')))).toMatchObject({
      type: 'invalid_transition',
    });
  });

  test('end a session that is listed as ended before a sweep, and swept with its sums', async () => {
    const { sessions, clock, id } = await open({ tokens: 10 }, {}, { retention: 60 });
    await okOf(sessions.spend(id, { tokens: 10 }));
    const listed = async (status: 'ACTIVE' | 'TERMINATED') =>
      (await okOf(sessions.list({ status }))).sessions.map(({ usage }) => usage);
    expect([await listed('ACTIVE'), await listed('TERMINATED')]).toEqual([[], [{ tokens: 10 }]]);
    const told: unknown[] = [];
    const swept = await okOf(sessions.sweep(10, { onEnded: (end) => told.push(end) }));
    expect(swept.ended).toMatchObject([{ id, endReason: 'budget' }]);
    expect(told).toMatchObject([{ id, endReason: 'budget', usage: { tokens: 10 } }]);
    clock.pass(60_001);
    await okOf(sessions.sweep(10, { onEnded: () => undefined }));
    expect(await errorOf(sessions.get(id))).toMatchObject({ type: 'not_found' });
  });

  test('free the place of an active session when they end it', async () => {
    const { sessions, id } = await open({ tokens: 10 }, {}, { limits: { activeSessions: 1 } });
    expect(await errorOf(sessions.create({ ...ada, start: true }))).toMatchObject({
      type: 'too_many_active',
    });
    await okOf(sessions.spend(id, { tokens: 10 }));
    await okOf(sessions.create({ ...ada, start: true }));
  });

  test('count a repeated write once', async () => {
    const { sessions, id, read } = await open({ tokens: 1000 });
    const once = { operationId: 'call-1' };
    expect(await okOf(sessions.spend(id, { tokens: 5 }, once))).toEqual({});
    for (let n = 0; n < 40; n += 1) {
      await okOf(sessions.spend(id, { tokens: 1 }, { operationId: `other-${n}` }));
    }
    expect(await okOf(sessions.spend(id, { tokens: 5 }, once))).toEqual({ repeated: true });
    expect(await errorOf(sessions.spend(id, { tokens: 6 }, once))).toMatchObject({
      type: 'operation_mismatch',
    });
    const entry = { usage: { tokens: 7 }, operationId: 'turn-1' };
    await okOf(sessions.append(id, said('Yes.'), entry));
    await okOf(sessions.append(id, said('Yes.'), entry));
    expect(
      await errorOf(sessions.append(id, said('Yes.'), { operationId: 'turn-1' })),
    ).toMatchObject({ type: 'operation_mismatch' });
    expect(await read()).toMatchObject({ usage: { tokens: 52 }, historyCount: 1 });
  });

  test('can be raised while the session is live, but not lowered below what is used', async () => {
    const { sessions, id, read } = await open({ tokens: 10 });
    await okOf(sessions.spend(id, { tokens: 9 }));
    expect(await errorOf(sessions.extend(id, { budget: { tokens: 9 } }))).toMatchObject({
      type: 'invalid_input',
      issues: [{ path: 'budget.tokens', message: 'must be more than the session has used' }],
    });
    await okOf(sessions.extend(id, { budget: { tokens: 20, calls: 3 } }));
    await okOf(sessions.spend(id, { tokens: 9, calls: 2 }));
    expect(await read()).toMatchObject({
      status: 'ACTIVE',
      budget: { tokens: 20, calls: 3 },
      usage: { tokens: 18, calls: 2 },
    });
    await okOf(sessions.spend(id, { calls: 1 }));
    expect(await read()).toMatchObject({ endReason: 'budget' });
    expect(await errorOf(sessions.extend(id, { budget: { calls: 9 } }))).toMatchObject({
      type: 'invalid_transition',
    });
  });

  test('reject unknown counters, and sums that are not exact', async () => {
    const limits = { counters: ['seconds'] };
    const { sessions, id, read } = await open({ tokens: 2 ** 53 - 1 }, {}, { limits });
    await okOf(sessions.spend(id, { tokens: 2 ** 53 - 3, seconds: 2 }));
    for (const [usage, path] of [
      [{ calls: 1 }, 'usage.calls'],
      [{ constructor: 1 }, 'usage.constructor'],
      [{ tokens: 3 }, 'usage.tokens'],
      [{ seconds: 2 ** 53 - 2 }, 'usage.seconds'],
    ] as const) {
      const refusal = { type: 'invalid_input', issues: [{ path }] };
      expect(await errorOf(sessions.spend(id, usage))).toMatchObject(refusal);
      expect(await errorOf(sessions.append(id, said('Yes.'), { usage }))).toMatchObject(refusal);
    }
    expect(await read()).toMatchObject({
      usage: { tokens: 2 ** 53 - 3, seconds: 2 },
      historyCount: 0,
    });
  });

  test('leave free counters of a session without a budget, which are counted', async () => {
    const { sessions, id, read } = await open(undefined, {}, { limits: { counters: ['tokens'] } });
    expect((await read()).usage).toBeUndefined();
    await okOf(sessions.append(id, said('Yes.'), { usage: { tokens: 3 } }));
    await okOf(sessions.spend(id, { tokens: 4 }));
    const { usage, budget } = await read();
    expect([usage, budget]).toEqual([{ tokens: 7 }, undefined]);
  });

  test('count late entries in the grace period, and keep the reason and time of the end', async () => {
    const { sessions, clock, id, read } = await open(
      { tokens: 10 },
      { timeLimit: 60 },
      { gracePeriod: 30 },
    );
    clock.pass(70_000);
    await okOf(sessions.append(id, said('Bye.'), { usage: { tokens: 12 } }));
    await okOf(sessions.spend(id, { tokens: 1 }));
    expect(await read()).toMatchObject({
      endReason: 'time_limit',
      duration: 60,
      usage: { tokens: 13 },
      historyCount: 1,
    });
    clock.pass(20_000);
    expect(await errorOf(sessions.spend(id, { tokens: 1 }))).toMatchObject({
      type: 'invalid_transition',
    });
  });

  test('accept entries in the grace period after the write that reached them', async () => {
    const { sessions, clock, id, read } = await open({ tokens: 10 }, {}, { gracePeriod: 30 });
    await okOf(sessions.spend(id, { tokens: 10 }));
    clock.pass(29_999);
    await okOf(sessions.append(id, said('Bye.'), { usage: { tokens: 5 } }));
    expect(await read()).toMatchObject({ usage: { tokens: 15 }, endReason: 'budget', duration: 0 });
    clock.pass(1);
    expect(await errorOf(sessions.append(id, said('Bye.')))).toMatchObject({
      type: 'invalid_transition',
    });
  });

  test("keep what was spent before a rewind, and count the rewind's spend", async () => {
    const { sessions, id, read } = await open({ tokens: 100 });
    const { position } = await okOf(sessions.append(id, said('one'), { usage: { tokens: 10 } }));
    const again = { to: 0, ifPosition: position, operationId: 'edit-1', usage: { tokens: 1 } };
    await okOf(sessions.rewind(id, { ...again, entries: said('two') }));
    expect(await okOf(sessions.rewind(id, { ...again, entries: said('two') }))).toMatchObject({
      repeated: true,
    });
    expect(await read()).toMatchObject({ usage: { tokens: 11 }, historyCount: 1 });
  });

  test('start at 0 in a fork, which has its own budget', async () => {
    const { sessions, id } = await open({ tokens: 100 });
    await okOf(sessions.append(id, said('one'), { usage: { tokens: 10 } }));
    const plain = await okOf(sessions.create({ ...ada, from: { id } }));
    expect([plain.usage, plain.budget]).toEqual([undefined, undefined]);
    const limited = await okOf(sessions.create({ ...ada, from: { id }, budget: { tokens: 5 } }));
    expect(limited).toMatchObject({ usage: { tokens: 0 }, budget: { tokens: 5 } });
  });

  test('end the session of a turn, whose answer is stored with its usage', async () => {
    const { sessions, id, read } = await open({ tokens: 10 });
    const reply = sessions.reply(id, 'Hello?', () => ({ entries: 'Hi.', usage: { tokens: 12 } }));
    expect(await okOf(reply)).toMatchObject({ content: 'Hi.' });
    expect(await read()).toMatchObject({
      endReason: 'budget',
      usage: { tokens: 12 },
      history: [{ content: 'Hello?' }, { content: 'Hi.' }],
    });
    expect(await errorOf(sessions.send(id, 'And?'))).toMatchObject({ type: 'invalid_transition' });
    expect((await okOf(sessions.claim({ holder: 'w', seconds: 30 }))).claimed).toEqual([]);
  });

  test('count a failed attempt, and end its lease', async () => {
    const { sessions, id, read } = await open({ tokens: 10 });
    const failed = sessions.reply(id, 'Hello?', async (turn) => {
      await okOf(turn.sessions.spend(id, { tokens: 10 }));
      throw new Error('the model is gone');
    });
    expect(await errorOf(failed)).toMatchObject({ type: 'callback_failed' });
    expect(await read()).toMatchObject({ endReason: 'budget', usage: { tokens: 10 } });
  });

  test('count for the lease holder only, if asked', async () => {
    const { sessions, id, read } = await open({ tokens: 10 });
    const { fencingToken } = await okOf(sessions.lease(id, { holder: 'one', seconds: 30 }));
    await okOf(sessions.spend(id, { tokens: 1 }, { fencingToken }));
    expect(
      await errorOf(sessions.spend(id, { tokens: 1 }, { fencingToken: fencingToken + 1 })),
    ).toMatchObject({ type: 'lease_lost' });
    expect(await read()).toMatchObject({ usage: { tokens: 1 } });
  });

  test.each(['IDLE', 'TERMINATED'])(
    'hold the sum of 100 concurrent writers, of a session that is %s',
    async (status) => {
      const { sessions, id, read } = await open(
        { tokens: 1_000_000 },
        { start: false },
        { gracePeriod: 60 },
      );
      if (status === 'TERMINATED') await okOf(sessions.terminate(id));
      await Promise.all(
        Array.from({ length: 100 }, (_, n) => okOf(sessions.spend(id, { tokens: n }))),
      );
      expect(await read()).toMatchObject({ status, usage: { tokens: (99 * 100) / 2 } });
    },
  );

  test('hold the sum of what 50 writers were acknowledged, with all kinds of writes', async () => {
    const { sessions, id, read } = await open({ tokens: 1_000_000 });
    const spends = Array.from({ length: 150 }, (_, n) => {
      const usage = { tokens: n };
      if (n % 3 === 0) return okOf(sessions.spend(id, usage));
      if (n % 3 === 1) return okOf(sessions.append(id, said(`${n}`), { usage }));
      return okOf(sessions.spend(id, usage, { operationId: `call-${n}` }));
    });
    await Promise.all([
      ...spends,
      okOf(sessions.pause(id)),
      okOf(sessions.update(id, { labels: { user: 'u-1' } })),
    ]);
    expect(await read()).toMatchObject({ usage: { tokens: (149 * 150) / 2 }, historyCount: 50 });
  });
});

describe('the input of a budget', () => {
  test.each([
    [{ tokens: 0 }, 'budget.tokens', 'must be a whole number, at least 1'],
    [{ tokens: 1.5 }, 'budget.tokens', 'must be a whole number, at least 1'],
    [{ tokens: 2 ** 53 }, 'budget.tokens', 'must be a whole number, at least 1'],
    [{}, 'budget', 'must have 1 to 8 counters, such as { tokens: 900 }'],
    [{ 'a b': 1 }, 'budget', 'must have names of 1 to 64 of the characters A-Z a-z 0-9 _ . -'],
    [[], 'budget', 'must be an object'],
  ])('is rejected by name if it is %j', async (budget, path, message) => {
    const { sessions } = openSessions();
    const issue = { type: 'invalid_input', issues: [{ path, message }] };
    expect(
      await errorOf(Reflect.apply(sessions.create, sessions, [{ ...ada, budget }])),
    ).toMatchObject(issue);
  });

  test.each([-1, 0.5, '1', Number.NaN, null])('rejects a spend of %j', async (tokens) => {
    const { sessions } = openSessions();
    const { id } = await okOf(sessions.create({ ...ada, budget: { tokens: 10 } }));
    expect(await errorOf(Reflect.apply(sessions.spend, sessions, [id, { tokens }]))).toMatchObject({
      issues: [{ path: 'usage.tokens', message: 'must be a whole number, at least 0' }],
    });
  });
});
