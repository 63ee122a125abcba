import { Agent, type AgentInputItem, run, tool } from '@openai/agents';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { MemorySessionStore } from '../../../adapters/memory/index.js';
import { type AgentTurn, TurnSession } from '../../../adapters/openai-agents/index.js';
import { SessionService, type Turn } from '../../../src/index.js';
import { describeStores } from '../../support/describe-stores.js';
import { ada } from '../../support/sessions.js';
import { call, user } from './items.js';
import { answered, modelOf, toolCall } from './scripted-model.js';

const textsIn = (items: readonly object[]): readonly unknown[] =>
  items.map((item) => {
    const { name, content } = Object(item);
    return name ?? content[0].text ?? content;
  });

/**
 * An agent that looks something up, then answers. `at` is called before each call of the model, with
 * the content of its input.
 */
const agentOf = (at: (input: readonly unknown[]) => unknown, stopsAfterTool = false): Agent => {
  const model = modelOf(async (input) => {
    await at(textsIn(input));
    const wasLookedUp = input.some(({ type }) => type === 'function_call_result');
    return wasLookedUp ? answered('It is 42.') : toolCall('look_up');
  });
  const lookUp = tool({
    ...{ name: 'look_up', description: 'look up', parameters: z.object({}) },
    execute: async () => 'found',
  });
  const toolUseBehavior = stopsAfterTool ? 'stop_on_first_tool' : 'run_llm_again';
  return new Agent({ name: 'Desk', model, tools: [lookUp], toolUseBehavior });
};

const answering = (agent: Agent) => async (turn: Turn) => {
  const session = new TurnSession<AgentInputItem>(turn);
  await run(agent, [], { session, signal: turn.signal });
  return session.entries;
};

describeStores('an agent run in a turn', (open) => {
  const opened = async () => {
    const sessions = new SessionService({ store: await open() }).orThrow;
    const { id } = await sessions.create({ ...ada, start: true });
    const stored = async () =>
      (await sessions.get(id)).history.map(({ role, turn }) => `${role} ${turn}`);
    return { sessions, id, stored };
  };

  test('stores its items with the end of the turn, not before', async () => {
    const { sessions, id, stored } = await opened();
    const seen: unknown[] = [];
    const agent = agentOf(async () => seen.push(await stored()));
    const { content } = await sessions.reply(id, 'What is 6 times 7?', answering(agent));
    expect(content).toBe('It is 42.');
    expect(seen).toEqual([['user 1'], ['user 1']]);
    const items = ['function_call 1', 'function_call_result 1', 'assistant 1'];
    expect(await stored()).toEqual(['user 1', ...items]);
  });

  test('leaves nothing of a failed attempt, so that the next one starts over', async () => {
    const { sessions, id, stored } = await opened();
    const broken = agentOf((input) => {
      if (input.length > 1) throw new Error('the model is down');
    });
    const message = { id: 'm-1', content: 'What is 6 times 7?' };
    await expect(sessions.reply(id, message, answering(broken))).rejects.toThrow();
    expect(await stored()).toEqual(['user 1']);
    await sessions.reply(id, message, answering(agentOf(() => undefined)));
    expect(await stored()).toHaveLength(4);
  });

  test('reads messages sent since its first step after the items of that step', async () => {
    const { sessions, id } = await opened();
    const inputs: unknown[] = [];
    const agent = agentOf(async (input) => {
      inputs.push(input);
      if (input.length === 1) await sessions.send(id, 'As a word, please.');
    }, true);
    await sessions.reply(id, 'What is 6 times 7?', async (turn) => {
      const session = new TurnSession<AgentInputItem>(turn);
      await run(agent, [], { session });
      expect(await session.take()).toMatchObject([{ content: 'As a word, please.' }]);
      expect(session.entries).toEqual([]);
      await run(agent, [], { session });
      return session.entries;
    });
    const step = ['What is 6 times 7?', 'look_up', 'look_up', 'As a word, please.'];
    expect(inputs).toEqual([step.slice(0, 1), step]);
    const { history } = await sessions.get(id);
    expect(history.map(({ role }) => role)).toEqual([
      ...['user', 'function_call', 'function_call_result', 'user', 'assistant'],
    ]);
  });

  test.each([
    ['begins with a message of the user if it was cut', { historyLimit: 3 }, ['Again?', 'Now?']],
    ['is read to its beginning otherwise', {}, ['Hi.', 'look_up', 'Again?', 'Now?']],
  ])('has a history that %s', async (_, options, expected) => {
    const { sessions, id } = await opened();
    await sessions.append(id, [
      { role: 'assistant', content: 'Hi.' },
      { role: 'function_call', content: '', data: { ...Object(toolCall('look_up')) } },
      { role: 'user', content: 'Again?' },
    ]);
    let items: readonly object[] = [];
    const readItems = async (turn: Turn) => {
      items = await new TurnSession(turn).getItems();
    };
    await sessions.reply(id, 'Now?', readItems, options);
    expect(textsIn(items)).toEqual(expected);
  });
});

describe('a turn session', () => {
  const open = async (past: readonly string[]) => {
    const sessions = new SessionService({ store: new MemorySessionStore() });
    const entries = past.map((content) => ({ role: 'user', content }));
    const { id } = await sessions.orThrow.create({ ...ada, start: true, entries });
    const { entries: history } = await sessions.orThrow.history(id);
    const turn: AgentTurn = { session: { id }, history, sessions, take: async () => [] };
    return { id, session: new TurnSession<AgentInputItem>(turn) };
  };

  test('has the id of the session that the turn is of', async () => {
    const { id, session } = await open([]);
    expect(await session.getSessionId()).toBe(id);
  });

  test('returns the latest items, and an empty list with a limit of 0', async () => {
    const { session } = await open(['one', 'two']);
    await session.addItems([user('three')]);
    expect(textsIn(await session.getItems(2))).toEqual(['two', 'three']);
    expect(await session.getItems(0)).toEqual([]);
  });

  test('removes items that were added in the turn, and no stored ones', async () => {
    const { session } = await open(['one']);
    await session.addItems([user('two'), user('three')]);
    expect(await session.popItem()).toEqual(user('three'));
    expect(session.entries).toEqual([expect.objectContaining({ content: 'two' })]);
    await expect(session.clearSession()).rejects.toThrow('removes no stored items');
    expect(await session.popItem()).toEqual(user('two'));
    await expect(session.popItem()).rejects.toThrow('removes no stored items');
    const { session: empty } = await open([]);
    expect(await empty.popItem()).toBeUndefined();
    await empty.addItems([user('one')]);
    await empty.clearSession();
    expect(empty.entries).toEqual([]);
  });

  test('keeps its items as they were added, even if the caller changes them', async () => {
    const { session } = await open([]);
    const given = call('call-1', {});
    await session.addItems([given]);
    Object.assign(given, { callId: 'call-2' });
    expect(await session.getItems()).toEqual([call('call-1', {})]);
  });
});
