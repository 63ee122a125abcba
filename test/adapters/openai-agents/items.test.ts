import type { AgentInputItem } from '@openai/agents';
import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../../adapters/memory/index.js';
import { okOf } from '../../support/sessions.js';
import { assistant, call, openSession, user } from './items.js';

describe('OpenAI Agents SDK items', () => {
  test('store the text of messages as content, for people who read the history', async () => {
    const { sessions, id, session } = await openSession(new MemorySessionStore());
    await session.addItems([user('Six times seven?'), call('c1', { a: 6 }), assistant('42.')]);
    const { history } = await okOf(sessions.get(id));
    expect(history.map(({ role, content }) => `${role}: ${content}`)).toEqual([
      'user: Six times seven?',
      'function_call: ',
      'assistant: 42.',
    ]);
  });

  test('store a text once, so that they count once towards the limit', async () => {
    const { sessions, id, session } = await openSession(new MemorySessionStore());
    const long = [user('x'.repeat(200 * 1024)), assistant('y'.repeat(255 * 1024))];
    await session.addItems(long);
    expect(await session.getItems()).toEqual(long);
    const { entries } = await okOf(sessions.history(id));
    expect(entries.map(({ data }) => JSON.stringify(data).length < 200)).toEqual([true, true]);
    expect(entries.some((entry) => 'id' in entry)).toBe(false);
  });

  test('are read unchanged if another program appended them as data', async () => {
    const { sessions, id, session } = await openSession(new MemorySessionStore());
    const data = {
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text: 'Hello' }],
    };
    await okOf(sessions.append(id, [{ role: 'user', content: 'Hello', data }]));
    expect(await session.getItems()).toEqual([data]);
  });

  test('are read as messages if they were appended as plain text', async () => {
    const { sessions, id, session } = await openSession(new MemorySessionStore());
    const entries = [
      { role: 'system', content: 'Be kind.' },
      { role: 'assistant', content: 'Hello.' },
    ];
    await okOf(sessions.append(id, entries));
    expect(await session.getItems()).toEqual([
      { type: 'message', role: 'system', content: 'Be kind.' },
      assistant('Hello.'),
    ]);
  });

  test("hide the program's own entries, whose roles no message has, from the SDK", async () => {
    const { sessions, id, session } = await openSession(new MemorySessionStore());
    await session.addItems([user('Pay.'), call('c1', {})]);
    await okOf(sessions.append(id, [{ role: 'decision', content: 'approve' }]));
    expect(await session.getItems()).toEqual([user('Pay.'), call('c1', {})]);
    expect(await session.popItem()).toEqual(call('c1', {}));
    expect(await session.getItems()).toEqual([user('Pay.')]);
  });

  test('are named by index and field when they are rejected', async () => {
    const { session } = await openSession(new MemorySessionStore());
    const items = [user('x'), user('y'.repeat(2 ** 18 + 1))];
    const name = 'items[1].content must';
    await expect(session.addItems(items)).rejects.toThrow(`invalid_input: ${name}`);
    await expect(session.replaceHistoryWithCompaction(items)).rejects.toThrow(name);
    for (const [transaction, path] of [
      [{ type: 'append_items' as const, items }, 'transaction.items[1].content'],
      [
        {
          type: 'replace_suffix' as const,
          expectedSuffix: [] as AgentInputItem[],
          replacement: items,
        },
        'transaction.replacement[1].content',
      ],
    ] as const) {
      const applied = session.applyHistoryTransaction({ operationId: 'turn', transaction });
      await expect(applied).rejects.toThrow(`invalid_input: ${path} must`);
    }
    expect(await session.getItems()).toEqual([]);
  });
});
