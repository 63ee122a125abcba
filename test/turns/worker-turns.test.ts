import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { Turn } from '../../src/service/service-turn.js';
import { SessionService } from '../../src/service/session-service.js';
import { lasting, openWorkers } from '../support/open-workers.js';
import { okOf, startedIn } from '../support/sessions.js';

const contents = (entries: readonly { readonly content: string }[]) =>
  entries.map(({ content }) => content);

describe('a worker', () => {
  test('stores what run returns, and answers a message that arrives during a turn in the next turn', async () => {
    const { sessions, work, pass } = openWorkers();
    const id = await startedIn(sessions);
    const seen: string[][] = [];
    const { run: wait, finish } = lasting();
    const run = async (turn: Turn) => {
      seen.push(contents(turn.history));
      await wait(turn);
      return `${turn.number}.`;
    };
    work({ run });
    await okOf(sessions.send(id, 'one'));
    await pass(1000);
    await okOf(sessions.send(id, 'two'));
    finish();
    await pass(1000);
    finish();
    await pass(1000);
    expect(seen).toEqual([['one'], ['one', '1.', 'two']]);
    expect(contents((await okOf(sessions.history(id))).entries)).toEqual([
      'one',
      '1.',
      'two',
      '2.',
    ]);
  });

  test('abandons a run that takes too long, even if it ignores its signal, and retries it', async () => {
    const { sessions, work, errors, pass } = openWorkers();
    const id = await startedIn(sessions);
    const { run, begun } = lasting();
    work({ run, maxSeconds: 5, attempts: 2, concurrency: 1 });
    await okOf(sessions.send(id, 'one'));
    await pass(5500);
    expect(begun[0]?.signal.reason).toMatchObject({ type: 'run_timeout' });
    await pass(8000);
    expect(begun.map(({ attempt, number }) => [attempt, number])).toEqual([
      [1, 1],
      [2, 1],
    ]);
    expect(errors).toMatchObject([1, 2].map(() => ({ cause: { type: 'run_timeout' } })));
    expect((await okOf(sessions.get(id))).work).toMatchObject({ state: 'exhausted', attempt: 2 });
  });

  test('stores nothing of a run that returns too late', async () => {
    const { sessions, work, pass } = openWorkers();
    const id = await startedIn(sessions);
    const run = ({ signal }: Turn) =>
      new Promise<string>((resolve) => {
        signal.addEventListener('abort', () => resolve('half'));
      });
    work({ run, maxSeconds: 5, attempts: 1 });
    await okOf(sessions.send(id, 'one'));
    await pass(6000);
    expect(contents((await okOf(sessions.history(id))).entries)).toEqual(['one']);
    expect((await okOf(sessions.get(id))).work).toMatchObject({ state: 'exhausted' });
  });

  test('stores the last words of a cancelled turn before the waiting message', async () => {
    const { sessions, work, errors, pass } = openWorkers();
    const id = await startedIn(sessions);
    const run = ({ number, signal }: Turn) => {
      if (number > 1) return 'Yes.';
      return new Promise<string>((resolve) => {
        signal.addEventListener('abort', () => resolve('I was ab'));
      });
    };
    work({ run });
    await okOf(sessions.send(id, 'one'));
    await pass(1000);
    await okOf(sessions.send(id, 'two'));
    await okOf(sessions.cancel(id));
    await pass(1000);
    expect(contents((await okOf(sessions.history(id))).entries)).toEqual([
      'one',
      'I was ab',
      'two',
      'Yes.',
    ]);
    expect(errors).toEqual([]);
  });

  test('aborts the signal of a turn that is rewound, and answers the edited message', async () => {
    const { sessions, work, errors, pass } = openWorkers();
    const id = await startedIn(sessions);
    const { run: wait, begun } = lasting();
    const run = async (turn: Turn) => {
      if (turn.number > 1) return `To ${contents(turn.messages)}.`;
      await wait(turn);
      return 'stale';
    };
    work({ run });
    await okOf(sessions.send(id, { id: 'm', content: 'one' }));
    await pass(1000);
    await okOf(sessions.rewind(id, { before: 'm', send: 'two' }));
    await pass(10_000);
    expect(begun[0]?.signal.aborted).toBe(true);
    expect(contents((await okOf(sessions.history(id))).entries)).toEqual(['two', 'To two.']);
    expect(errors).toEqual([]);
  });

  test.each([
    [
      'is stored in the grace period of its session, whatever that of the worker',
      20,
      0,
      ['one', 'Late.'],
    ],
    ['is lost after it, whatever the grace period of the worker', 0, 20, ['one']],
  ])('ends with its session, and its answer %s', async (_, gracePeriod, own, expected) => {
    const store = new MemorySessionStore({ events: true });
    const { clock, work, pass } = openWorkers(store);
    const creator = new SessionService({ store, clock, gracePeriod });
    const { run: wait, finish, begun } = lasting();
    const run = async (turn: Turn) => {
      await wait(turn);
      return 'Late.';
    };
    work({ run, interval: 3600 }, new SessionService({ store, clock, gracePeriod: own }));
    const id = await startedIn(creator);
    await okOf(creator.send(id, 'one'));
    await expect.poll(() => begun.length).toBe(1);
    await okOf(creator.terminate(id));
    await pass(15_000);
    finish();
    await pass(250);
    expect(contents((await okOf(creator.get(id))).history)).toEqual(expected);
  });

  test('leaves a PAUSED session alone, and answers once it is resumed', async () => {
    const { sessions, work, pass } = openWorkers();
    const id = await startedIn(sessions);
    await okOf(sessions.pause(id));
    await okOf(sessions.send(id, 'one'));
    work({ run: () => 'Yes.' });
    await pass(5000);
    expect((await okOf(sessions.get(id))).history).toEqual([]);
    await okOf(sessions.resume(id));
    await pass(1000);
    expect(contents((await okOf(sessions.get(id))).history)).toEqual(['one', 'Yes.']);
  });

  test('answers messages that arrive during a turn in the same turn, if it takes them', async () => {
    const { sessions, work, pass } = openWorkers();
    const id = await startedIn(sessions);
    const { run: wait, finish } = lasting();
    const run = async (turn: Turn) => {
      await wait(turn);
      return (await turn.take({ after: 'Step.' })).map(({ content }) => `To ${content}.`);
    };
    work({ run });
    await okOf(sessions.send(id, 'one'));
    await pass(1000);
    await okOf(sessions.send(id, { id: 'b', content: 'two' }));
    finish();
    await pass(1000);
    expect(contents((await okOf(sessions.get(id))).history)).toEqual([
      'one',
      'Step.',
      'two',
      'To two.',
    ]);
    expect(await okOf(sessions.answer(id, 'b'))).toMatchObject({ content: 'To two.' });
  });

  test('stays silent in a group until it is named, and then knows who said what', async () => {
    const { sessions, work, pass } = openWorkers();
    const id = await startedIn(sessions);
    const run = ({ messages, history }: Turn) => {
      if (!messages.some(({ content }) => content.includes('@bot'))) return;
      return history.map(({ data, content }) => `${Object(data).from}: ${content}`).join(', ');
    };
    work({ run });
    await okOf(sessions.send(id, { id: 'm-1', content: 'Lunch?', data: { from: 'ann' } }));
    await pass(1000);
    expect(await okOf(sessions.answer(id, 'm-1'))).toMatchObject({ content: '', entries: [] });
    await okOf(sessions.send(id, { id: 'm-2', content: '@bot Where?', data: { from: 'bob' } }));
    await pass(1000);
    expect(await okOf(sessions.answer(id, 'm-2'))).toMatchObject({
      content: 'ann: Lunch?, bob: @bot Where?',
    });
  });
});
