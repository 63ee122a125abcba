import { Agent, type AgentInputItem, RunState, run, tool } from '@openai/agents';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { MemorySessionStore } from '../../../adapters/memory/index.js';
import {
  type AgentContext,
  EngineSession,
  type EngineSessionOptions,
  TurnSession,
} from '../../../adapters/openai-agents/index.js';
import { SessionService, type SessionStore } from '../../../src/index.js';
import { describeStores } from '../../support/describe-stores.js';
import { ada, okOf } from '../../support/sessions.js';
import { user } from './items.js';
import { answered, modelOf, toolCall } from './scripted-model.js';

/** An agent that looks something up, then answers: two calls of a model, 120 tokens each. */
const agentOf = (needsApproval = false): Agent => {
  const answerTo = (input: readonly AgentInputItem[]) =>
    input.at(-1)?.type === 'function_call_result' ? answered('It is 42.') : toolCall('look_up');
  const inputTokensDetails = { cached_tokens: 60 };
  const model = modelOf(answerTo, { inputTokens: 100, outputTokens: 20, inputTokensDetails });
  const lookUp = tool({
    ...{ name: 'look_up', description: 'look up', parameters: z.object({}), needsApproval },
    execute: async () => 'found',
  });
  return new Agent({ name: 'Desk', model, tools: [lookUp] });
};

const counters = ['tokens', 'inputTokens', 'outputTokens', 'cachedTokens'];

const two = { tokens: 240, inputTokens: 200, outputTokens: 40, cachedTokens: 120 };

const opened = async (store: SessionStore) => {
  const sessions = new SessionService({ store, limits: { counters } });
  const { id } = await okOf(sessions.create({ ...ada, start: true }));
  const read = async () => {
    const { usage, historyCount } = await okOf(sessions.get(id));
    return { usage, historyCount };
  };
  const sessionOf = (options: EngineSessionOptions = { usage: (used) => used }) =>
    new EngineSession<AgentInputItem>(sessions, id, options);
  return { sessions, id, read, sessionOf };
};

describeStores('the usage of an agent run', (open) => {
  test('is counted in the same step as its items', async () => {
    const { read, sessionOf } = await opened(await open());
    const session = sessionOf();
    await run(agentOf(), 'What is 6 times 7?', { session });
    expect(await read()).toEqual({ usage: two, historyCount: 4 });
    await run(agentOf(), 'Again?', { session });
    expect(await read()).toMatchObject({ usage: { tokens: 480 } });
  });

  test('is counted once if the run waits for an approval and continues in another process', async () => {
    const { read, sessionOf } = await opened(await open());
    const agent = agentOf(true);
    const { state } = await run(agent, 'What is 6 times 7?', { session: sessionOf() });
    expect(await read()).toMatchObject({ usage: { tokens: 120 } });
    const restored = await RunState.fromString(agent, state.toString());
    for (const approval of restored.getInterruptions()) restored.approve(approval);
    await run(agent, restored, { session: sessionOf() });
    expect(await read()).toEqual({ usage: two, historyCount: 4 });
  });

  test("is counted in money at the host's prices", async () => {
    const { sessions, sessionOf } = await opened(await open());
    await okOf(sessions.create({ ...ada, id: 'paid', budget: { microUsd: 1000 }, start: true }));
    const session = new EngineSession<AgentInputItem>(sessions, 'paid', {
      usage: ({ inputTokens, outputTokens }) => ({ microUsd: inputTokens * 2 + outputTokens * 16 }),
    });
    await run(agentOf(), 'What is 6 times 7?', { session });
    expect(await okOf(sessions.get('paid'))).toMatchObject({
      endReason: 'budget',
      usage: { microUsd: 1040 },
      historyCount: 4,
    });
    await expect(run(agentOf(), 'Again?', { session: sessionOf({}) })).resolves.toBeDefined();
  });

  test('is counted at the end of the turn that returns it', async () => {
    const { sessions, id, read } = await opened(await open());
    await okOf(
      sessions.reply(id, 'What is 6 times 7?', async (turn) => {
        const session = new TurnSession<AgentInputItem>(turn);
        await run(agentOf(), [], { session, signal: turn.signal });
        expect((await read()).usage).toBeUndefined();
        const { entries, usage } = session;
        return { entries, usage };
      }),
    );
    expect(await read()).toEqual({ usage: two, historyCount: 4 });
  });
});

describe('an agent session', () => {
  const contextOf = (inputTokens: number): AgentContext => ({
    usage: { inputTokens, outputTokens: 0, totalTokens: inputTokens, inputTokensDetails: [] },
  });

  test('counts nothing unless the host enables it', async () => {
    const { read, sessionOf } = await opened(new MemorySessionStore());
    await run(agentOf(), 'What is 6 times 7?', { session: sessionOf({}) });
    expect(await read()).toEqual({ usage: undefined, historyCount: 4 });
  });

  test('counts usage with the next items if the items that it came with were rejected', async () => {
    const { sessions, id, read } = await opened(new MemorySessionStore());
    let name = 'unknown';
    const usage: EngineSessionOptions['usage'] = ({ tokens }) => ({ [name]: tokens });
    const session = new EngineSession<AgentInputItem>(sessions, id, { usage });
    const context = contextOf(5);
    await expect(session.addItems([user('one')], context)).rejects.toThrow(
      'usage.unknown is no counter of this session',
    );
    name = 'tokens';
    await session.addItems([user('one')], context);
    await session.addItems([user('two')], context);
    expect(await read()).toEqual({ usage: { tokens: 5 }, historyCount: 2 });
  });

  test('ignores token counts that are not numbers', async () => {
    const { read, sessionOf } = await opened(new MemorySessionStore());
    const session = sessionOf();
    const usage = { ...contextOf(5).usage };
    const context: AgentContext = { usage };
    await session.addItems([user('one')], context);
    Object.assign(usage, { inputTokens: Number.NaN, totalTokens: Number.NaN });
    await session.addItems([user('two')], context);
    expect(await read()).toMatchObject({ usage: { tokens: 5 }, historyCount: 2 });
  });
});
