import { type AgentInputItem, OpenAIResponsesCompactionSession } from '@openai/agents';
import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../../adapters/memory/index.js';
import { EngineSession } from '../../../adapters/openai-agents/index.js';
import { SessionService } from '../../../src/index.js';
import { serve } from '../../client/served.js';
import { describeStores } from '../../support/describe-stores.js';
import { ada, okOf } from '../../support/sessions.js';
import { assistant, openSession, user } from './items.js';
import { playTurn } from './play-turn.js';

describeStores('an agent run', (open) => {
  test('costs one read and one append, including its tools and handoffs', async () => {
    const { sessions, id, session } = await openSession(await open());
    for (const turn of ['first', 'second']) {
      const steps: string[] = [];
      await playTurn(sessions, 'look_up', { id, turn, at: (step) => steps.push(step) });
      expect(steps.filter((step) => /append|read/.test(step))).toEqual([
        'before the read',
        'before the append',
        'after the append',
      ]);
    }
    expect(await session.getItems()).toHaveLength(12);
  });

  test.for(['IDLE', 'TERMINATED'])(
    'fails on a session that is %s before the model is called',
    async (status) => {
      const sessions = new SessionService({ store: await open() });
      const { id } = await okOf(sessions.create(ada));
      if (status === 'TERMINATED') await okOf(sessions.terminate(id));
      const steps: string[] = [];
      const outcome = await playTurn(sessions, 'look_up', {
        id,
        turn: 'first',
        at: (step) => steps.push(step),
      });
      expect(outcome).toEqual({
        rejected: expect.stringContaining(`${status} does not allow append`),
      });
      expect(steps).toEqual([]);
    },
  );

  test('creates and starts its session once', async () => {
    const sessions = new SessionService({ store: await open() });
    const create = { ...ada, labels: { user: 'u-7' } };
    for (const text of ['one', 'two']) {
      const session = new EngineSession<AgentInputItem>(sessions, 'chat-of-user-7', { create });
      await session.getItems();
      await session.addItems([user(text)]);
    }
    const { status, labels, historyCount } = await okOf(sessions.get('chat-of-user-7'));
    expect({ status, labels, historyCount }).toEqual({
      status: 'ACTIVE',
      labels: { user: 'u-7' },
      historyCount: 2,
    });
    const missing = new EngineSession<AgentInputItem>(sessions, 'chat-of-user-8');
    await expect(missing.getItems()).rejects.toThrow('not_found');
  });

  test('finds out what is stored for a turn before it runs the turn again', async () => {
    const { sessions, id, session } = await openSession(await open());
    expect(await session.turnItems('job-1')).toBeUndefined();
    const { answered } = Object(await playTurn(sessions, 'look_up', { id, turn: 'job-1' }));
    const { interrupted } = Object(await playTurn(sessions, 'delete', { id, turn: 'job-2' }));
    await playTurn(sessions, 'delete', { id, turn: 'job-2:approved', interrupted });
    const all = await session.getItems();
    expect(JSON.stringify(all.slice(0, 6))).toContain(answered);
    expect(await session.turnItems('job-1')).toEqual(all.slice(0, 6));
    expect(await session.turnItems('job-2')).toEqual(all.slice(6, 8));
    expect(await session.turnItems('job-2:approved')).toEqual(all.slice(8));
    for (const other of ['job', 'job-3', 'job-1:1'])
      expect(await session.turnItems(other)).toBeUndefined();
    expect(await session.getItems()).toEqual(all);
    await okOf(sessions.terminate(id));
    expect(await session.turnItems('job-1')).toEqual(all.slice(0, 6));
    expect(await session.turnItems('job-3')).toBeUndefined();
    const created = new EngineSession(sessions, 'not-yet', { create: ada });
    expect(await created.turnItems('job-1')).toBeUndefined();
  });

  test('finds out that a turn has run even if its items were removed', async () => {
    const { sessions, id, session } = await openSession(await open());
    await playTurn(sessions, 'look_up', { id, turn: 'job-1' });
    await session.clearSession();
    expect(await session.turnItems('job-1')).toEqual([]);
  });

  test('reads as many items as the limit allows, and no tool result without its call', async () => {
    const { sessions, id, session } = await openSession(await open());
    await playTurn(sessions, 'look_up', { id, turn: 'first' });
    await playTurn(sessions, 'look_up', { id, turn: 'second' });
    const all = await session.getItems();
    expect(all).toHaveLength(12);
    const within = (limit: number) =>
      new EngineSession<AgentInputItem>(sessions, id, { limit }).getItems();
    for (const limit of [12, 13]) expect(await within(limit)).toEqual(all);
    for (const limit of [1, 5, 6, 7, 11]) expect(await within(limit)).toEqual(all.slice(6));
    expect(await new EngineSession<AgentInputItem>(sessions, id, { limit: 1 }).getItems(3)).toEqual(
      all.slice(-3),
    );
    expect(() => new EngineSession(sessions, id, { limit: 0 })).toThrow('limit');
  });

  test('keeps what was said while it waits for an approval, and continues in another process', async () => {
    const { sessions, id, session } = await openSession(await open());
    const { interrupted } = Object(await playTurn(sessions, 'delete', { id, turn: 'first' }));
    expect((await session.getItems()).map(({ type }) => type)).toEqual([
      'message',
      'function_call',
    ]);
    await playTurn(sessions, 'delete', { id, turn: 'approved', interrupted });
    expect((await session.getItems()).map(({ type }) => type)).toEqual([
      'message',
      'function_call',
      'function_call_result',
      'message',
    ]);
  });

  test('writes nothing after its process lost the lease', async () => {
    const { sessions, id, session } = await openSession(await open());
    const { fencingToken } = await okOf(sessions.lease(id, { holder: 'one', seconds: 10 }));
    await okOf(sessions.release(id, { fencingToken }));
    const stale = new EngineSession(sessions, id, { fencingToken });
    await expect(stale.addItems([user('late')])).rejects.toThrow('lease_lost');
    expect(await session.getItems()).toEqual([]);
  });
});

describe('an agent run over HTTP', () => {
  test('stores its conversation through a client of the service', async () => {
    const { client, sessions } = await serve();
    const { id } = await okOf(sessions.create({ ...ada, start: true }));
    await playTurn(client, 'look_up', { id, turn: 'first' });
    const session = new EngineSession<AgentInputItem>(client, id);
    const popped = await session.popItem();
    expect(popped).toMatchObject({ role: 'assistant' });
    expect((await okOf(sessions.get(id))).historyCount).toBe(5);
  });
});

describe("the SDK's compaction session", () => {
  const client = (compacted: object) => ({ responses: { compact: async () => compacted } });

  test('runs over an engine session, whose history then is the summary', async () => {
    const { sessions, id, session } = await openSession(new MemorySessionStore());
    const output = [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'a summary' }] },
    ];
    const compacting = new OpenAIResponsesCompactionSession({
      client: Object(
        client({ id: 'r', output, usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 } }),
      ),
      underlyingSession: session,
      compactionMode: 'input',
    });
    await compacting.addItems([user('one'), assistant('two')]);
    await compacting.runCompaction({ force: true });
    const items: AgentInputItem[] = await compacting.getItems();
    expect(JSON.stringify(items)).toContain('a summary');
    expect(await session.getItems()).toEqual(items);
    expect((await okOf(sessions.get(id))).historyCount).toBe(1);
  });
});
