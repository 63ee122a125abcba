import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { Run } from '../../src/service/service-turn.js';
import { passUntil } from '../support/manual-clock.js';
import { lasting, openWorkers, settled } from '../support/open-workers.js';
import {
  ada,
  call,
  createdIn,
  errorOf,
  okOf,
  openSessions,
  startedIn,
} from '../support/sessions.js';

const contents = (entries: readonly { readonly content: string }[]) =>
  entries.map(({ content }) => content);

/** A store with events, and one without, where a reply polls. */
const stores = [
  ['with events', () => new MemorySessionStore({ events: true })],
  ['without events', () => new MemorySessionStore()],
] as const;

const open = (store = new MemorySessionStore({ events: true })) => {
  const bench = openSessions({ store });
  const { sessions, clock } = bench;
  const shown = async (id: string) => contents((await okOf(sessions.history(id))).entries);
  const until = <T>(promise: PromiseLike<T>) => passUntil(clock, Promise.resolve(promise));
  return { ...bench, shown, until };
};

const hi = { id: 'm', content: 'Hi?' };
const create = { create: true as const };
const never: Run = () => {
  throw new Error('it ran');
};

describe('reply', () => {
  test('answers a message in a new session, and a repeated call runs nothing', async () => {
    const { sessions } = open();
    const reply = await okOf(sessions.reply('chat', hi, () => 'Yes.', create));
    expect(reply).toMatchObject({ content: 'Yes.', ran: true });
    expect(reply.repeated).toBeUndefined();
    expect((await okOf(sessions.history('chat'))).entries).toMatchObject([
      { role: 'user', content: 'Hi?', id: 'm', turn: 1, message: true },
      { role: 'assistant', content: 'Yes.', turn: 1 },
    ]);
    const again = await okOf(sessions.reply('chat', hi, never));
    expect(again).toMatchObject({ content: 'Yes.', ran: false, repeated: true });
    const other = sessions.reply('chat', { ...hi, content: 'Ho?' }, never);
    expect(await errorOf(other)).toMatchObject({ type: 'operation_mismatch' });
  });

  test('costs two commits, and one more for a new session', async () => {
    const store = new MemorySessionStore();
    const commits: string[] = [];
    const counting = new Proxy(store, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== 'function') return member;
        return (...given: readonly unknown[]) => {
          if (name === 'begin' || name === 'change' || name === 'remove') commits.push(name);
          return member.apply(target, given);
        };
      },
    });
    const { sessions } = openSessions({ store: counting });
    await okOf(sessions.reply('chat', hi, () => 'Yes.', create));
    expect(commits).toEqual(['begin', 'change', 'change']);
    await okOf(sessions.reply('chat', 'Ho?', () => 'No.'));
    expect(commits.slice(3)).toEqual(['change', 'change']);
  });

  test('creates a session only with create', async () => {
    const { sessions } = open();
    const error = await errorOf(sessions.reply('chat', hi, never));
    expect(error).toMatchObject({ type: 'not_found', id: 'chat' });
    await okOf(sessions.reply('chat', hi, () => 'Yes.', { create: { labels: { user: 'u-1' } } }));
    expect((await okOf(sessions.get('chat'))).labels).toEqual({ user: 'u-1' });
  });

  test.each(stores)('runs once for two calls with one message: %s', async (_, store) => {
    const { sessions, shown, until } = open(store());
    await okOf(sessions.create({ ...ada, id: 'chat', start: true }));
    let runs = 0;
    const { run: wait, finish } = lasting();
    const run: Run = async (turn) => {
      runs += 1;
      await wait(turn);
      return `Yes ${runs}.`;
    };
    const first = sessions.reply('chat', hi, run);
    await expect.poll(() => runs).toBe(1);
    const second = sessions.reply('chat', hi, run);
    for (let round = 0; round < 9; round += 1) await settled();
    finish();
    const [one, two] = await Promise.all([until(okOf(first)), until(okOf(second))]);
    expect([one.content, one.ran, two.content, two.ran]).toEqual(['Yes 1.', true, 'Yes 1.', false]);
    expect([runs, await shown('chat')]).toEqual([1, ['Hi?', 'Yes 1.']]);
  });

  test.each(stores)('answers each of two messages in flight in order: %s', async (_, store) => {
    const { sessions, shown, until } = open(store());
    await okOf(sessions.create({ ...ada, id: 'chat', start: true }));
    let runs = 0;
    const { run: wait, finish } = lasting();
    const run: Run = async (turn) => {
      runs += 1;
      await wait(turn);
      return `To ${contents(turn.messages)}.`;
    };
    const first = sessions.reply('chat', 'one', run);
    await expect.poll(() => runs).toBe(1);
    const second = sessions.reply('chat', 'two', run);
    await expect.poll(async () => (await okOf(sessions.get('chat'))).inbox).toBe(1);
    finish();
    expect((await until(okOf(first))).content).toBe('To one.');
    const answered = okOf(second);
    const watched = setInterval(() => runs === 2 && finish(), 1);
    expect((await until(answered)).content).toBe('To two.');
    clearInterval(watched);
    expect(await shown('chat')).toEqual(['one', 'To one.', 'two', 'To two.']);
  });

  test('continues after a crash, once the lease expired', async () => {
    const { sessions, until, shown } = open();
    const id = await startedIn(sessions);
    await okOf(sessions.send(id, hi));
    await okOf(sessions.claim({ holder: 'crashed', seconds: 10 }));
    const reply = await until(okOf(sessions.reply(id, hi, ({ attempt }) => `Attempt ${attempt}.`)));
    expect(reply).toMatchObject({ content: 'Attempt 2.', ran: true });
    expect(await shown(id)).toEqual(['Hi?', 'Attempt 2.']);
  });

  test('runs immediately what failed before, despite the delay', async () => {
    const { sessions } = open();
    const id = await startedIn(sessions);
    const failed = await errorOf(sessions.reply(id, hi, never));
    expect(failed).toMatchObject({ type: 'callback_failed' });
    expect((await okOf(sessions.get(id))).work).toMatchObject({
      state: 'retrying',
      error: 'it ran',
    });
    const reply = await okOf(sessions.reply(id, hi, ({ attempt }) => `Attempt ${attempt}.`));
    expect(reply).toMatchObject({ content: 'Attempt 2.', ran: true });
  });

  test('returns what a worker has answered, and runs nothing', async () => {
    const { sessions, work, pass } = openWorkers();
    const id = await startedIn(sessions);
    const { run: wait, begun, finish } = lasting();
    const run: Run = async (turn) => {
      await wait(turn);
      return 'From the worker.';
    };
    work({ run });
    await okOf(sessions.send(id, hi));
    await pass(1000);
    const reply = okOf(sessions.reply(id, hi, never));
    await pass(1000);
    finish();
    await pass(1000);
    expect(await reply).toMatchObject({ content: 'From the worker.', ran: false });
    expect(begun).toHaveLength(1);
  });

  test('leaves nothing to do for a worker', async () => {
    const { sessions, work, pass } = openWorkers();
    const id = await startedIn(sessions);
    const { run, begun } = lasting();
    work({ run });
    await pass(1000);
    await okOf(sessions.reply(id, hi, () => 'Yes.'));
    await pass(5000);
    expect([begun.length, (await okOf(sessions.get(id))).historyCount]).toEqual([0, 2]);
  });

  test('fails with not_answered while the session is PAUSED, and the message waits', async () => {
    const { sessions, until } = open();
    const id = await startedIn(sessions);
    await okOf(sessions.pause(id));
    const reply = errorOf(sessions.reply(id, hi, never, { timeoutMs: 2000 }));
    expect(await until(reply)).toMatchObject({ type: 'not_answered' });
    expect((await okOf(sessions.get(id))).inbox).toBe(1);
  });

  test('fails while the session is IDLE, after its end, and without a function', async () => {
    const { sessions } = open();
    const id = await createdIn(sessions);
    const refusal = { type: 'invalid_transition', command: 'send' };
    expect(await errorOf(sessions.reply(id, hi, never))).toMatchObject(refusal);
    await okOf(sessions.terminate(id));
    expect(await errorOf(sessions.reply(id, hi, never))).toMatchObject(refusal);
    expect(await errorOf(call(sessions, 'reply', id, hi, 'run'))).toMatchObject({
      type: 'invalid_input',
      issues: [{ path: 'run' }],
    });
  });

  test('fails if its message was withdrawn or rewound, or if its turn takes too long', async () => {
    const { sessions, until } = open();
    const id = await startedIn(sessions);
    await okOf(sessions.send(id, { id: 'w', content: 'one' }));
    await okOf(sessions.withdraw(id, ['w']));
    const withdrawn = sessions.reply(id, { id: 'w', content: 'one' }, never);
    expect(await errorOf(withdrawn)).toMatchObject({ type: 'withdrawn' });
    const rewinding: Run = async () => {
      await okOf(sessions.rewind(id, { before: 'm', send: 'two' }));
      return 'stale';
    };
    const superseded = errorOf(sessions.reply(id, hi, rewinding));
    expect(await until(superseded)).toMatchObject({ type: 'superseded' });
    const endless: Run = () => new Promise(() => undefined);
    const timed = errorOf(sessions.reply(id, 'three', endless, { maxSeconds: 2 }));
    expect(await until(timed)).toMatchObject({ type: 'run_timeout' });
  });

  test('returns the last words of a cancelled turn', async () => {
    const { sessions, until } = open();
    const id = await startedIn(sessions);
    const speaking: Run = async ({ signal }) => {
      const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve));
      await okOf(sessions.cancel(id, { reason: 'enough' }));
      await aborted;
      return 'I was ab';
    };
    expect(await until(okOf(sessions.reply(id, hi, speaking)))).toMatchObject({
      content: 'I was ab',
      stopped: true,
      ran: true,
    });
  });
});

describe('answer', () => {
  test.each(stores)("waits for a worker's answer: %s", async (_, store) => {
    const { sessions, clock, until } = open(store());
    const id = await startedIn(sessions);
    await okOf(sessions.send(id, hi));
    const [claimed] = (await okOf(sessions.claim({ holder: 'w', seconds: 30 }))).claimed;
    const answer = okOf(sessions.answer(id, 'm'));
    clock.after(3000, () => {
      const fencingToken = claimed?.lease.fencingToken ?? 0;
      sessions.release(id, { fencingToken, done: true, entries: 'Yes.' }).unwrapOr({});
    });
    const reply = await until(answer);
    expect(reply).toMatchObject({ content: 'Yes.', ran: false });
    expect(reply.repeated).toBeUndefined();
  });

  test('fails with not_answered at its timeout, and with not_found without such a message', async () => {
    const { sessions, until } = open();
    const id = await startedIn(sessions);
    await okOf(sessions.send(id, hi));
    const late = errorOf(sessions.answer(id, 'm', { timeoutMs: 500 }));
    expect(await until(late)).toMatchObject({ type: 'not_answered' });
    expect(await errorOf(sessions.answer(id, 'n'))).toEqual({
      type: 'not_found',
      message: 'the session has no message with this id',
      id,
    });
    expect(await errorOf(sessions.answer('nobody', 'n'))).toEqual({
      type: 'not_found',
      message: 'there is no such session',
      id: 'nobody',
    });
  });

  test('fails once the session has ended', async () => {
    const { sessions, until } = open();
    const id = await startedIn(sessions);
    await okOf(sessions.send(id, hi));
    const answer = errorOf(sessions.answer(id, 'm'));
    await okOf(sessions.terminate(id));
    expect(await until(answer)).toMatchObject({ type: 'not_answered' });
  });
});

describe('a user who sends a message every 200 ms to a model that takes 300 ms', () => {
  test('causes 10 to 14 runs for 14 messages, wastes no run, and receives one answer to each', async () => {
    const { sessions, clock, work } = openWorkers();
    const id = await startedIn(sessions);
    const begunAt: number[] = [];
    const run: Run = async ({ messages, number }) => {
      begunAt.push(clock.now());
      await new Promise<void>((resolve) => {
        clock.after(300, resolve);
      });
      return `Turn ${number}: ${contents(messages).join()}.`;
    };
    work({ run });
    for (let round = 0; round < 9; round += 1) await settled();
    const at = clock.now();
    for (let ms = 0; ms < 5000; ms += 50) {
      if (ms % 200 === 0 && ms < 14 * 200) await okOf(sessions.send(id, `${ms / 200}`));
      for (let round = 0; round < 9; round += 1) await settled();
      clock.pass(50);
    }
    const { entries } = await okOf(sessions.history(id));
    const asked = entries.filter(({ message }) => message === true);
    const said = entries.filter(({ message }) => message === undefined);
    expect(contents(asked)).toEqual(Array.from({ length: 14 }, (_, each) => `${each}`));
    expect(begunAt.length).toBe(said.length);
    expect(begunAt.length).toBeGreaterThanOrEqual(10);
    expect(begunAt.length).toBeLessThanOrEqual(14);
    expect((begunAt[0] ?? 0) - at).toBeLessThanOrEqual(50);
    for (const { turn, content } of said) {
      const own = contents(asked.filter((each) => each.turn === turn));
      expect(content).toBe(`Turn ${turn}: ${own.join()}.`);
    }
    expect(await okOf(sessions.get(id))).toMatchObject({ inbox: 0 });
  });
});
