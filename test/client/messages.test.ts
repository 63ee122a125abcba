import { afterEach, describe, expect, test, vi } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { RemoteErrors } from '../../src/client/index.js';
import { type OperationErrors, type SessionOperations, SessionService } from '../../src/index.js';
import { ManualClock } from '../support/manual-clock.js';
import { ada } from '../support/sessions.js';
import { outcome } from './comparable.js';
import { type Answer, json, problem, scripted, unplugged } from './scripted.js';
import { serve } from './served.js';

type Either = SessionOperations<OperationErrors | RemoteErrors>;

/** As of a chat platform: a path would end at some of these characters. */
const ODD_ID = 'chat/7 a+b=é?#&';

/** What users and workers ask about messages, and what each step answered. */
const scenario = async (sessions: Either): Promise<readonly unknown[]> => {
  const seen: unknown[] = [];
  const { id } = await sessions.orThrow.create({ ...ada, start: true });
  const message = { id: ODD_ID, content: 'Hello', data: { from: ['Slack'] } };
  seen.push(outcome(await sessions.send(id, message)));
  seen.push(outcome(await sessions.send(id, message)));
  seen.push(outcome(await sessions.send(id, { ...message, content: 'Bye' })));
  seen.push(outcome(await sessions.send(id, { ...message, id: '', content: 'x' })));
  seen.push(outcome(await sessions.send('nobody', message)));
  seen.push(outcome(await sessions.inbox(id)));
  seen.push(outcome(await sessions.inbox('nobody')));
  seen.push(outcome(await sessions.answer(id, ODD_ID, { timeoutMs: 0 })));
  seen.push(outcome(await sessions.answer(id, 'unknown', { timeoutMs: 0 })));
  seen.push(outcome(await sessions.answer(id, ODD_ID, { timeoutMs: -1 })));
  const { claimed } = await sessions.orThrow.claim({ holder: 'worker-1', seconds: 30 });
  seen.push(claimed.map(({ messages, turn, woken, attempt }) => [messages, turn, woken, attempt]));
  const fencingToken = claimed[0]?.lease.fencingToken ?? 0;
  await sessions.orThrow.send(id, { id: 'm-2', content: 'Quickly!' });
  await sessions.orThrow.send(id, { id: 'm-3', content: 'Never mind.' });
  const step = { fencingToken, after: 'Let me see.', limit: 1 };
  seen.push(outcome(await sessions.take(id, step)));
  seen.push(outcome(await sessions.take(id, { ...step, fencingToken: fencingToken + 1 })));
  seen.push(outcome(await sessions.withdraw(id, [ODD_ID, 'm-3'])));
  seen.push(outcome(await sessions.withdraw(id)));
  seen.push(outcome(await sessions.withdraw(id, [])));
  const end = { fencingToken, done: true, entries: [{ content: 'Hi!', data: { tokens: 2 } }] };
  seen.push(outcome(await sessions.release(id, { ...end, done: false })));
  seen.push(outcome(await sessions.release(id, end)));
  seen.push(outcome(await sessions.release(id, end)));
  seen.push(outcome(await sessions.answer(id, ODD_ID)));
  seen.push(outcome(await sessions.answer(id, 'm-3')));
  const edit = { before: 'm-2', send: { id: 'm-4', content: 'Slowly.' } };
  seen.push(outcome(await sessions.rewind(id, { ...edit, after: 'm-2' })));
  seen.push(outcome(await sessions.rewind(id, edit)));
  seen.push(outcome(await sessions.answer(id, 'm-2')));
  seen.push(outcome(await sessions.history(id)));
  await sessions.orThrow.terminate(id);
  seen.push(outcome(await sessions.send(id, 'too late')));
  return seen;
};

afterEach(() => {
  vi.useRealTimers();
});

const sentOnce = json(200, { id: 'm-1', state: 'waiting' });

describe('messages in the client', () => {
  test('return what the service returns', async () => {
    const clock = new ManualClock();
    const store = new MemorySessionStore({ events: true });
    const local = new SessionService({ store, clock, tenant: 'acme' });
    const expected = await scenario(local);
    const { client } = await serve();
    expect(await scenario(client)).toEqual(expected);
    expect(expected).toContainEqual({ type: 'superseded' });
  });

  test('keep the id of the first attempt in retries', async () => {
    for (const message of ['Hello', { content: 'Hello' }]) {
      const { client, sent } = scripted([unplugged, problem(503, 'store_unavailable'), sentOnce]);
      expect(await client.orThrow.send('s1', message)).toEqual({ id: 'm-1', state: 'waiting' });
      const bodies = sent.map(({ init }) => JSON.parse(String(init.body)));
      expect(bodies).toHaveLength(3);
      expect(new Set(bodies.map(({ id }) => id)).size).toBe(1);
      expect(bodies[0]).toEqual({ id: expect.stringMatching(/^[\w-]{21,}$/), content: 'Hello' });
    }
  });

  test('create their session, with options or without', async () => {
    const { client } = await serve();
    await client.orThrow.send('chat-1', 'Hello', { create: true });
    const create = { ...ada, timeLimit: 60 };
    await client.orThrow.send('chat-2', 'Hello', { create });
    await client.orThrow.send('chat-2', 'Still there?', { create });
    expect(await client.orThrow.get('chat-1')).toMatchObject({ status: 'ACTIVE' });
    expect(await client.orThrow.get('chat-2')).toMatchObject({ options: { timeLimit: 60 } });
    expect(await client.orThrow.inbox('chat-2')).toHaveLength(2);
    const refused = await client.send('chat-3', 'Hello', { create: { ...ada, timeLimit: -1 } });
    expect(outcome(refused)).toMatchObject(['invalid_input', ['timeLimit', expect.anything()]]);
  });

  test('are not taken again after a lost response, since they may already be taken', async () => {
    const taken = json(200, { messages: [], position: 1 });
    for (const failure of [unplugged, json(503, {}), problem(503, 'store_unavailable')]) {
      const { client, sent } = scripted([failure, taken]);
      expect((await client.take('s1', { fencingToken: 1 })).isErr()).toBe(true);
      expect(sent).toHaveLength(1);
    }
    const { client, sent } = scripted([problem(409, 'conflict'), taken]);
    expect((await client.take('s1', { fencingToken: 1 })).isOk()).toBe(true);
    expect(sent).toHaveLength(2);
  });
});

const refused = problem(504, 'not_answered');

const timeoutIn = (url: string): number =>
  Number(new URL(url).searchParams.get('timeout_ms') ?? Number.NaN);

/** Refuses after as long as the request says. */
const patient: Answer = async (sent) => {
  await new Promise((resolve) => {
    setTimeout(resolve, timeoutIn(sent.url));
  });
  return refused(sent);
};

const answered = json(200, { content: 'Hi!', entries: [], repeated: true });

/** A client in fake time. */
const timed = (answers: readonly Answer[]) => {
  vi.useFakeTimers({ now: 0 });
  return scripted(answers, { timing: undefined });
};

describe('a client that waits for an answer', () => {
  test('repeats the request until its timeout', async () => {
    const { client, sent } = timed([patient]);
    const waiting = client.answer('s1', ODD_ID, { timeoutMs: 20_000 });
    await vi.advanceTimersByTimeAsync(20_000);
    expect(outcome(await waiting)).toEqual({ type: 'not_answered' });
    expect(Date.now()).toBe(20_000);
    expect(sent.map(({ url }) => timeoutIn(url))).toEqual([9600, 9600, 800]);
    expect(new URL(sent[0]?.url ?? '').searchParams.get('message_id')).toBe(ODD_ID);
  });

  test('reports an earlier answer only if the first request found it', async () => {
    const first = timed([answered]);
    const reply = { content: 'Hi!', entries: [], ran: false };
    expect(await first.client.orThrow.answer('s1', 'm-1')).toEqual({ ...reply, repeated: true });
    const second = timed([patient, answered]);
    const waiting = second.client.orThrow.answer('s1', 'm-1');
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await waiting).toEqual(reply);
  });

  test('stops if the service refuses early each time, as after the end of a session', async () => {
    const { client, sent } = timed([refused]);
    const waiting = client.answer('s1', 'm-1');
    await vi.advanceTimersByTimeAsync(1400);
    expect(outcome(await waiting)).toEqual({ type: 'not_answered' });
    expect([sent.length, Date.now()]).toEqual([4, 1400]);
  });

  test('stops once the signal is aborted', async () => {
    const stop = new AbortController();
    const { client } = timed([patient]);
    const waiting = client.answer('s1', 'm-1', { signal: stop.signal });
    await vi.advanceTimersByTimeAsync(1000);
    stop.abort();
    expect(outcome(await waiting)).toEqual({ type: 'aborted' });
  });
});
