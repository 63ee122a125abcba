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

describeStores('AI SDK messages', (open) => {
  test('load exactly as they were saved, for every part type of ai 6', async () => {
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

  test('load exactly as they were saved, for every part type of ai 7', async () => {
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

  test('are not appended again when they are saved a second time', async () => {
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

  test('store their text as content, and no data for messages that are only text', async () => {
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

  test('include entries that other programs appended, as text parts', async () => {
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

describe('an AI SDK message', () => {
  const answer = (output: unknown) => ({
    id: 'a-1',
    role: 'assistant' as const,
    parts: [
      { type: 'step-start' },
      { type: 'dynamic-tool', toolName: 'now', state: 'output-available', output },
    ],
  });

  test('is saved as the page receives it if it contains a Date or another value with toJSON', async () => {
    const { sessions, id, load } = await openedChat();
    const at = new Date(0);
    const given = answer({ at, link: new URL('https://example.com'), both: [at, { at }] });
    const { position } = await unwrap(saveMessages(sessions, id, [given]));
    expect(await unwrap(saveMessages(sessions, id, [given]))).toEqual({ position, repeated: true });
    const time = '1970-01-01T00:00:00.000Z';
    const output = { at: time, link: 'https://example.com/', both: [time, { at: time }] };
    expect(await load()).toEqual([answer(output)]);
  });

  const cycle: Record<string, unknown> = {};
  Object.assign(cycle, { one: cycle, two: cycle });

  test.for([
    ['a Map', new Map([['secret', 1]])],
    ['NaN', { not: Number.NaN }],
    ['a bigint', 1n],
    ['a cycle', cycle],
    ['a toJSON that throws', { toJSON: () => Reflect.get(Object(undefined).secret, 'x') }],
  ])('with %s in a tool result is rejected with its index and part', async ([, output]) => {
    const { sessions, id, load } = await openedChat();
    const saved = await saveMessages(sessions, id, [user('u-1', 'Hi'), answer(output)]);
    const error = saved._unsafeUnwrapErr();
    expect(error).toMatchObject({
      type: 'invalid_input',
      message: expect.stringMatching(/^messages\[1\]\.parts\[1\] [^;]+$/),
      issues: [{ path: 'messages[1].parts[1]' }],
    });
    expect(error.message).not.toContain('secret');
    expect(await load()).toEqual([]);
  });

  test('is named by its index among all given messages if the engine rejects it', async () => {
    const { sessions, id, load } = await openedChat();
    const stored = [user('u-1', 'One?'), user('u-2', 'Two?')];
    await unwrap(saveMessages(sessions, id, stored));
    const empty = { id: 'a-0', role: 'assistant', parts: [] } as const;
    const long = 'x'.repeat(2 ** 18 + 1);
    const wrong = [user('', 'Three?'), user('u-3', long), { ...user('u-4', ''), metadata: long }];
    for (const edited of [[], [user('u-2', 'Two, please?')]]) {
      const given = [stored[0] ?? empty, empty, ...edited, ...wrong];
      const at = given.length - wrong.length;
      const error = (await saveMessages(sessions, id, given))._unsafeUnwrapErr();
      const paths = [`messages[${at}].id`, `messages[${at + 1}].parts`, `messages[${at + 2}]`];
      expect(error).toMatchObject({ issues: paths.map((path) => ({ path })) });
      expect(error.message).not.toContain('entries');
    }
    expect(await load()).toEqual(stored);
  });

  test.for([
    ['nothing', undefined, 'messages'],
    ['no array', {}, 'messages'],
    ['no message', [undefined], 'messages[0]'],
    ['no parts', [{ id: 'u-1', role: 'user' }], 'messages[0].parts'],
    ['no part', [{ id: 'u-1', role: 'user', parts: [null] }], 'messages[0].parts[0]'],
    [
      'parts without a type',
      [{ id: 'u-1', role: 'user', parts: [{ text: 'Hi' }] }],
      'messages[0].parts[0].type',
    ],
    [
      'a text that is none',
      [{ id: 'u-1', role: 'user', parts: [{ type: 'text', text: { a: 1 } }] }],
      'messages[0].parts[0].text',
    ],
    ['another role', [{ id: 'u-1', role: 'tool', parts: [] }], 'messages[0].role'],
    [
      'metadata of NaN',
      [{ ...user('u-1', 'Hi'), metadata: { not: Number.NaN } }],
      'messages[0].metadata',
    ],
    ['no id', [user('', 'Hi')], 'messages[0].id'],
    ['too much text', [user('u-1', 'x'.repeat(2 ** 18 + 1))], 'messages[0].parts'],
    ['too many messages', Array.from({ length: 1001 }, (_, at) => user(`u-${at}`, '')), 'messages'],
  ])(
    'is rejected with the name of its wrong field, without throwing: %s',
    async ([, messages, path]) => {
      const { sessions, id, load } = await openedChat();
      const saved = await Reflect.apply(saveMessages, undefined, [sessions, id, messages]);
      const error = saved._unsafeUnwrapErr();
      expect(error.type).toBe('invalid_input');
      expect(error.issues[0].path).toBe(path);
      expect(await load()).toEqual([]);
    },
  );

  test('loads unchanged for any content', async () => {
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

describe('the message types', () => {
  type Metadata = { tokens: number };
  type Data = { forecast: { rain: boolean } };
  type Tools = { weather: { input: { city: string }; output: { degrees: number } } };
  type Mine6 = ai6.UIMessage<Metadata, Data, Tools>;
  type Mine7 = ai7.UIMessage<Metadata, Data, Tools>;

  test('follow the message type of the host in ai 6 and ai 7', () => {
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

  test('also accept a client over HTTP', () => {
    const save = (client: SessionClient) => saveMessages(client, 'chat', []);
    const load = (client: SessionClient) => loadMessages(client, 'chat');
    expectTypeOf(save).parameter(0).toEqualTypeOf<SessionClient>();
    expectTypeOf(load)
      .returns.resolves.toHaveProperty('_unsafeUnwrapErr')
      .returns.toHaveProperty('type');
  });
});
