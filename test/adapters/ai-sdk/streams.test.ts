import * as ai7 from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import * as ai6 from 'ai6';
import { MockLanguageModelV3 as Model6 } from 'ai6/test';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type ChatMessage, loadMessages, saveMessages } from '../../../adapters/ai-sdk/index.js';
import { type SessionService, unwrap } from '../../../src/index.js';
import { openedChat, user } from './opened-chat.js';

const usage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 0, text: 0, reasoning: undefined },
};

const says = (text: string) => [
  { type: 'stream-start' as const, warnings: [] },
  { type: 'text-start' as const, id: 't' },
  ...text.split(/(?<= )/).map((delta) => ({ type: 'text-delta' as const, id: 't', delta })),
  { type: 'text-end' as const, id: 't' },
  { type: 'finish' as const, finishReason: { unified: 'stop' as const, raw: undefined }, usage },
];

const calls = (toolName: string) => [
  { type: 'stream-start' as const, warnings: [] },
  {
    type: 'tool-call' as const,
    toolCallId: `call-${toolName}`,
    toolName,
    input: '{"city":"Zurich"}',
  },
  {
    type: 'finish' as const,
    finishReason: { unified: 'tool-calls' as const, raw: undefined },
    usage,
  },
];

type Script = readonly (ReturnType<typeof says> | ReturnType<typeof calls>)[];

const city = {
  inputSchema: z.object({ city: z.string() }),
  execute: async () => ({ at: new Date(0), degrees: 21 }),
};

/** The route of a host with `ai` 7. */
const route7 = (sessions: SessionService, id: string, script: Script) => {
  const model = new MockLanguageModelV3({
    doStream: script.map((chunks) => ({
      stream: ai7.simulateReadableStream({ chunks: [...chunks] }),
    })),
  });
  const tools = { weather: ai7.tool(city), close: ai7.tool({ ...city, needsApproval: true }) };
  return async (message: ChatMessage, regenerate = false): Promise<string> => {
    await unwrap(saveMessages(sessions, id, [message], { regenerate }));
    const { messages } = await unwrap(loadMessages<ai7.UIMessage>(sessions, id));
    const valid = await ai7.validateUIMessages({ messages });
    const stopWhen = ai7.stepCountIs(5);
    const result = ai7.streamText({
      model,
      tools,
      stopWhen,
      messages: await ai7.convertToModelMessages(valid),
    });
    const stream = ai7.toUIMessageStream({
      stream: result.stream,
      originalMessages: valid,
      generateMessageId: ai7.generateId,
      onEnd: ({ responseMessage }) =>
        unwrap(saveMessages(sessions, id, [responseMessage])).then(() => undefined),
    });
    return ai7.createUIMessageStreamResponse({ stream }).text();
  };
};

/** The route of a host with `ai` 6. */
const route6 = (sessions: SessionService, id: string, script: Script) => {
  const model = new Model6({
    doStream: script.map((chunks) => ({
      stream: ai6.simulateReadableStream({ chunks: [...chunks] }),
    })),
  });
  const tools = { weather: ai6.tool(city), close: ai6.tool({ ...city, needsApproval: true }) };
  return async (message: ChatMessage, regenerate = false): Promise<string> => {
    await unwrap(saveMessages(sessions, id, [message], { regenerate }));
    const { messages } = await unwrap(loadMessages<ai6.UIMessage>(sessions, id));
    const valid = await ai6.validateUIMessages({ messages });
    const stopWhen = ai6.stepCountIs(5);
    const result = ai6.streamText({
      model,
      tools,
      stopWhen,
      messages: await ai6.convertToModelMessages(valid),
    });
    const response = result.toUIMessageStreamResponse({
      originalMessages: valid,
      generateMessageId: ai6.generateId,
      onFinish: ({ responseMessage }) =>
        unwrap(saveMessages(sessions, id, [responseMessage])).then(() => undefined),
    });
    return response.text();
  };
};

describe.each([
  ['ai 6', route6],
  ['ai 7', route7],
])('a chat with streamText of %s', (_, routeOf) => {
  test('stores each answer as it was streamed, and replaces the old answer with the new one', async () => {
    const { sessions, id, load, texts } = await openedChat();
    const route = routeOf(sessions, id, [
      says('6 times 7 is 42.'),
      says('It is 42.'),
      says('144.'),
    ]);
    expect(await route(user('u-1', 'What is 6 times 7?'))).toContain('"delta":"42."');
    expect(await load()).toEqual([
      user('u-1', 'What is 6 times 7?'),
      {
        id: expect.any(String),
        role: 'assistant',
        parts: [{ type: 'step-start' }, { type: 'text', text: '6 times 7 is 42.', state: 'done' }],
      },
    ]);
    await route(user('u-1', 'What is 6 times 7?'), true);
    await route(user('u-2', 'And 12 times 12?'));
    expect(await texts()).toEqual(['What is 6 times 7?', 'It is 42.', 'And 12 times 12?', '144.']);
  });

  test('stores tool calls and their output as the page received them', async () => {
    const { sessions, id, load } = await openedChat();
    const route = routeOf(sessions, id, [calls('weather'), says('It is warm.')]);
    await route(user('u-1', 'How is the weather?'));
    const [, answer] = await load();
    expect(answer?.parts).toMatchObject([
      { type: 'step-start' },
      {
        type: 'tool-weather',
        state: 'output-available',
        output: { at: '1970-01-01T00:00:00.000Z', degrees: 21 },
      },
      { type: 'step-start' },
      { type: 'text', text: 'It is warm.' },
    ]);
  });

  test('continues the same answer after the user approved a call', async () => {
    const { sessions, id, load } = await openedChat();
    const route = routeOf(sessions, id, [calls('close'), says('Closed.')]);
    await route(user('u-1', 'Close the windows.'));
    const [, asking] = await load();
    if (asking === undefined) throw new Error('the call was not saved');
    expect(asking.parts[1]).toMatchObject({ type: 'tool-close', state: 'approval-requested' });
    // What `addToolApprovalResponse` makes of it in the page.
    const parts = asking.parts.map((part) =>
      'approval' in part && part.approval !== undefined
        ? { ...part, state: 'approval-responded', approval: { ...part.approval, approved: true } }
        : part,
    );
    await route({ ...asking, parts });
    const messages = await load();
    expect(messages.map(({ id: each }) => each)).toEqual(['u-1', asking.id]);
    expect(messages[1]?.parts).toMatchObject([
      { type: 'step-start' },
      { type: 'tool-close', state: 'output-available', approval: { approved: true } },
      { type: 'step-start' },
      { type: 'text', text: 'Closed.' },
    ]);
  });
});
