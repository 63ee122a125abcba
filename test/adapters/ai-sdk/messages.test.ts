import * as ai7 from 'ai';
import * as ai6 from 'ai6';
import fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  type ChatMessage,
  loadMessages,
  type SavedMessages,
  saveMessages,
} from '../../../adapters/ai-sdk/index.js';
import type { SessionClient } from '../../../src/client/index.js';
import { type OperationErrors, type SessionService, unwrap } from '../../../src/index.js';
import { describeStores } from '../../support/describe-stores.js';
import { okOf } from '../../support/sessions.js';
import { openedChat, user } from './opened-chat.js';

const call = { toolCallId: 'call-1', input: { city: 'Zurich' } };
const asked = { id: 'approval-1' };

/** A call in each of its states. */
const calls = [
  { state: 'input-streaming', input: { city: 'Zu' } },
  { state: 'input-available' },
  { state: 'approval-requested', approval: asked },
  { state: 'approval-responded', approval: { ...asked, approved: true, reason: 'Why not' } },
  {
    state: 'output-available',
    output: { degrees: [1, -2.5, null] },
    preliminary: true,
    providerExecuted: true,
  },
  { state: 'output-available', output: 'sunny', approval: { ...asked, approved: true } },
  {
    state: 'output-error',
    errorText: 'no such city',
    callProviderMetadata: { openai: { itemId: 'i-1' } },
  },
  { state: 'output-denied', approval: { ...asked, approved: false } },
];

const partsOfBoth = [
  { type: 'step-start' },
  {
    type: 'reasoning',
    text: 'It may rain.',
    state: 'done',
    providerMetadata: { anthropic: { signature: 's' } },
  },
  { type: 'text', text: 'Let me look.', state: 'done' },
  { type: 'source-url', sourceId: 's-1', url: 'https://example.com', title: 'Weather' },
  {
    type: 'source-document',
    sourceId: 's-2',
    mediaType: 'application/pdf',
    title: 'Climate',
    filename: 'c.pdf',
  },
  { type: 'file', mediaType: 'image/png', filename: 'sky.png', url: 'data:image/png;base64,AAAA' },
  { type: 'data-forecast', id: 'd-1', data: { days: [{ rain: true }], none: null } },
  ...calls.map((each) => ({ type: 'tool-weather', ...call, ...each })),
  ...calls.map((each) => ({ type: 'dynamic-tool', toolName: 'weather', ...call, ...each })),
  { type: 'text', text: 'It rains \u{1f327}\n', state: 'streaming' },
];

const messagesOfBoth = [
  { id: 'm-1', role: 'system', parts: [{ type: 'text', text: 'You are a weather vane.' }] },
  {
    id: 'm-2',
    role: 'user',
    metadata: { sentAt: 1769860800000 },
    parts: [{ type: 'text', text: 'Will it rain?' }],
  },
  { id: 'm-3', role: 'assistant', metadata: { usage: { tokens: 31 } }, parts: partsOfBoth },
  { id: 'm-4', role: 'user', parts: [{ type: 'text', text: '' }] },
  {
    id: 'm-5',
    role: 'user',
    parts: [{ type: 'file', mediaType: 'image/png', url: 'https://example.com/sky.png' }],
  },
];

const messagesOf7 = [
  ...messagesOfBoth,
  {
    id: 'm-6',
    role: 'assistant',
    parts: [
      { type: 'reasoning-file', mediaType: 'image/png', url: 'data:image/png;base64,AAAA' },
      { type: 'custom', kind: 'openai.compaction', providerMetadata: { openai: { id: 'c-1' } } },
      { type: 'steering-message', id: 's-1', parts: [{ type: 'text', text: 'Be brief' }] },
      {
        type: 'tool-weather',
        ...call,
        state: 'input-streaming',
        rawInput: '{"city":"Zu',
        inputEncoding: 'json',
      },
      { type: 'text', text: 'Brief.' },
    ],
  },
];

describeStores('messages of the AI SDK', (open) => {
  test('come back as they were saved, with every kind of part of ai 6', async () => {
    const { sessions, id } = await openedChat(await open());
    const messages = await ai6.validateUIMessages({ messages: messagesOfBoth });
    await unwrap(saveMessages(sessions, id, messages));
    const loaded = await unwrap(loadMessages<ai6.UIMessage>(sessions, id));
    expect(loaded.messages).toEqual(messages);
    expect(await ai6.safeValidateUIMessages({ messages: loaded.messages })).toEqual({
      success: true,
      data: messages,
    });
  });

  test('come back as they were saved, with every kind of part of ai 7', async () => {
    const { sessions, id } = await openedChat(await open());
    const messages = await ai7.validateUIMessages({ messages: messagesOf7 });
    await unwrap(saveMessages(sessions, id, messages));
    const loaded = await unwrap(loadMessages<ai7.UIMessage>(sessions, id));
    expect(loaded.messages).toEqual(messages);
    expect(await ai7.safeValidateUIMessages({ messages: loaded.messages })).toEqual({
      success: true,
      data: messages,
    });
  });

  test('are left alone when they are saved again', async () => {
    const { sessions, id } = await openedChat(await open());
    const messages = await ai7.validateUIMessages({ messages: messagesOf7 });
    const first = await unwrap(saveMessages(sessions, id, messages));
    // Whatever the order of names that a page sends them in.
    const again = messages.map(({ parts, ...rest }) => ({
      parts: parts.map((part) => ({ ...part })),
      ...rest,
    }));
    expect(await unwrap(saveMessages(sessions, id, again))).toEqual({ ...first, repeated: true });
    expect((await okOf(sessions.get(id))).historyCount).toBe(messages.length);
  });

  test('of people who read the history have their text, and no more is stored of what is only text', async () => {
    const { sessions, id } = await openedChat(await open());
    const answer = { id: 'a-1', role: 'assistant', parts: partsOfBoth } as const;
    await unwrap(saveMessages(sessions, id, [user('u-1', 'Will it rain?'), answer]));
    const { entries } = await unwrap(sessions.history(id));
    expect(entries.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'Will it rain?'],
      ['assistant', 'Let me look.\n\nIt rains \u{1f327}\n'],
    ]);
    expect(entries[0]).not.toHaveProperty('data');
  });

  test('include what others have appended, as text', async () => {
    const { sessions, id, load } = await openedChat(await open());
    await okOf(
      sessions.append(id, [
        { role: 'user', content: 'Hello?', id: 'heard-1' },
        { role: 'agent', content: 'Hello!', data: { latencyMs: 300 } },
        { role: 'model', content: 'How are you?', data: { parts: [{ text: 'How are you?' }] } },
      ]),
    );
    const messages = await load();
    expect(messages).toEqual([
      { id: 'heard-1', role: 'user', parts: [{ type: 'text', text: 'Hello?' }] },
      {
        id: expect.stringMatching(/^position-\d+$/),
        role: 'assistant',
        parts: [{ type: 'text', text: 'Hello!' }],
      },
      {
        id: expect.stringMatching(/^position-\d+$/),
        role: 'assistant',
        parts: [{ type: 'text', text: 'How are you?' }],
      },
    ]);
    expect((await ai7.safeValidateUIMessages({ messages })).success).toBe(true);
    await unwrap(saveMessages(sessions, id, messages));
    expect(await load()).toEqual(messages);
  });
});

describe('a message of the AI SDK', () => {
  test('is saved as the page gets it, which is JSON', async () => {
    const { sessions, id, load } = await openedChat();
    const at = new Date(0);
    const parts = [
      {
        type: 'dynamic-tool',
        toolName: 'now',
        state: 'output-available',
        output: { at, not: Number.NaN },
      },
    ];
    const answer = { id: 'a-1', role: 'assistant', parts } as const;
    await unwrap(saveMessages(sessions, id, [answer]));
    await unwrap(saveMessages(sessions, id, [answer]));
    expect(await load()).toEqual([
      {
        ...answer,
        parts: [{ ...parts[0], output: { at: '1970-01-01T00:00:00.000Z', not: null } }],
      },
    ]);
  });

  test.for([
    ['nothing', undefined],
    ['no array', {}],
    ['no message', [undefined]],
    ['no parts', [{ id: 'u-1', role: 'user' }]],
    ['parts without a type', [{ id: 'u-1', role: 'user', parts: [{ text: 'Hi' }] }]],
    ['another role', [{ id: 'u-1', role: 'tool', parts: [] }]],
    ['no JSON', [{ id: 'u-1', role: 'user', parts: [{ type: 'data-n', data: 1n }] }]],
    ['no id', [{ id: '', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }]],
    ['too much text', [user('u-1', 'x'.repeat(2 ** 18 + 1))]],
  ])('is refused as an error and not thrown: %s', async ([, messages]) => {
    const { sessions, id, load } = await openedChat();
    const saved = await Reflect.apply(saveMessages, undefined, [sessions, id, messages]);
    expect(saved._unsafeUnwrapErr().type).toBe('invalid_input');
    expect(await load()).toEqual([]);
  });

  test('comes back, whatever is in it', async () => {
    const part = fc.oneof(
      fc.record({ type: fc.constant('text'), text: fc.string({ unit: 'binary' }) }),
      fc.record({
        type: fc.constant('text'),
        text: fc.string(),
        state: fc.constantFrom('streaming', 'done'),
      }),
      fc.record({ type: fc.constantFrom('data-x', 'tool-x'), data: fc.jsonValue() }),
    );
    const last = { type: 'data-last', data: 0 };
    const role = fc.constantFrom('system' as const, 'user' as const, 'assistant' as const);
    const message = fc.record(
      { role, parts: fc.array(part), metadata: fc.jsonValue() },
      { requiredKeys: ['role', 'parts'] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 5 }), async (all) => {
        const { sessions, id } = await openedChat();
        const messages: ChatMessage[] = JSON.parse(
          JSON.stringify(
            all.map((each, index) => ({ id: `m-${index}`, ...each, parts: [...each.parts, last] })),
          ),
        );
        const { position } = await unwrap(saveMessages(sessions, id, messages));
        expect((await unwrap(loadMessages(sessions, id))).messages).toEqual(messages);
        const again = await unwrap(saveMessages(sessions, id, messages));
        expect(again).toEqual({ position, repeated: true });
      }),
      { numRuns: 50 },
    );
  });
});

describe('the types of messages', () => {
  type Metadata = { tokens: number };
  type Data = { forecast: { rain: boolean } };
  type Tools = { weather: { input: { city: string }; output: { degrees: number } } };
  type Mine6 = ai6.UIMessage<Metadata, Data, Tools>;
  type Mine7 = ai7.UIMessage<Metadata, Data, Tools>;

  test('are those of the host, of either version', () => {
    const load6 = (sessions: SessionService) =>
      loadMessages<Mine6>(sessions, 'chat').map(({ messages }) => messages);
    const load7 = (sessions: SessionService) =>
      loadMessages<Mine7>(sessions, 'chat').map(({ messages }) => messages);
    const save = (sessions: SessionService, six: Mine6[], seven: readonly Mine7[]) =>
      saveMessages(sessions, 'chat', six).andThen(() => saveMessages(sessions, 'chat', seven));
    expectTypeOf(load6)
      .returns.resolves.toHaveProperty('_unsafeUnwrap')
      .returns.toEqualTypeOf<Mine6[]>();
    expectTypeOf(load7)
      .returns.resolves.toHaveProperty('_unsafeUnwrap')
      .returns.toEqualTypeOf<Mine7[]>();
    expectTypeOf(load7)
      .returns.resolves.toHaveProperty('_unsafeUnwrapErr')
      .returns.toEqualTypeOf<OperationErrors['history']>();
    expectTypeOf(save)
      .returns.resolves.toHaveProperty('_unsafeUnwrap')
      .returns.toEqualTypeOf<SavedMessages>();
  });

  test('fit a client over HTTP too', () => {
    const save = (client: SessionClient) => saveMessages(client, 'chat', []);
    const load = (client: SessionClient) => loadMessages(client, 'chat');
    expectTypeOf(save).parameter(0).toEqualTypeOf<SessionClient>();
    expectTypeOf(load)
      .returns.resolves.toHaveProperty('_unsafeUnwrapErr')
      .returns.toHaveProperty('type');
  });
});
