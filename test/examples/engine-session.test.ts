import { type AgentInputItem, MemorySession } from '@openai/agents';
import fc from 'fast-check';
import { err } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { EngineSession } from '../../examples/openai-agents/engine-session.js';
import { openConversation } from '../../examples/openai-agents/open-conversation.js';
import { storeUnavailable } from '../../src/errors.js';
import { SessionService, type SessionStore } from '../../src/index.js';
import { okOf } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';

/** Parts of three entries, so that a short history has several. */
const PART = 3;

const open = async (store: SessionStore = new MemorySessionStore()) => {
  const sessions = new SessionService({ store });
  const id = await okOf(openConversation(sessions, 'user-7'));
  return { sessions, id, session: new EngineSession(sessions, id, PART) };
};

const user = (content: string): AgentInputItem => ({ type: 'message', role: 'user', content });

const item: fc.Arbitrary<AgentInputItem> = fc.oneof(
  fc.string({ unit: 'binary' }).map(user),
  fc.string().map(
    (text): AgentInputItem => ({
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text }],
    }),
  ),
  fc.record({ callId: fc.string(), a: fc.double({ noNaN: true, noDefaultInfinity: true }) }).map(
    ({ callId, a }): AgentInputItem => ({
      type: 'function_call',
      callId,
      name: 'multiply',
      arguments: JSON.stringify({ a }),
      status: 'completed',
    }),
  ),
);

const operation = fc.oneof(
  { weight: 4, arbitrary: fc.array(item, { maxLength: 5 }).map((items) => ({ name: 'add', items }) as const) },
  { weight: 4, arbitrary: fc.constant({ name: 'pop' } as const) },
  { weight: 2, arbitrary: fc.integer({ min: -1, max: 8 }).map((limit) => ({ name: 'get', limit }) as const) },
  { weight: 1, arbitrary: fc.constant({ name: 'clear' } as const) },
);

describe('the session of the openai-agents example', () => {
  test("does what the SDK's own session in memory does, whatever is asked of it", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 30 }), async (operations) => {
        const { session: ours } = await open();
        const theirs = new MemorySession();
        for (const each of operations) {
          if (each.name === 'add') for (const session of [ours, theirs]) await session.addItems([...each.items]);
          if (each.name === 'pop') expect(await ours.popItem()).toEqual(await theirs.popItem());
          if (each.name === 'get') expect(await ours.getItems(each.limit)).toEqual(await theirs.getItems(each.limit));
          if (each.name === 'clear') for (const session of [ours, theirs]) await session.clearSession();
        }
        expect(await ours.getItems()).toEqual(await theirs.getItems());
      }),
      { numRuns: 200 },
    );
  });

  test('pops each item once, however many workers pop at the same time', async () => {
    const { sessions, id, session } = await open();
    const items = Array.from({ length: 20 }, (_, index) => user(`item ${index}`));
    await session.addItems(items);
    const popped = await Promise.all(items.map(() => new EngineSession(sessions, id, PART).popItem()));
    expect(popped.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))).toEqual(
      items.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))),
    );
    expect(await session.popItem()).toBeUndefined();
  });

  test('applies an append once whose answer was lost', async () => {
    const inner = new MemorySessionStore();
    let lost = 0;
    const store = changed(inner, {
      append: (key, append) => {
        const answer = inner.append(key, append);
        lost += 1;
        return lost % 2 === 1 ? err(storeUnavailable('the answer was lost', 'unknown')) : answer;
      },
    });
    const { session } = await open(store);
    await session.addItems([user('one'), user('two')]);
    expect(await session.popItem()).toEqual(user('two'));
    expect(await session.getItems()).toEqual([user('one')]);
  });

  test('is the same for every worker that opens the conversation, and throws what the engine refuses', async () => {
    const { sessions, id, session } = await open();
    expect(await okOf(openConversation(sessions, 'user-7'))).toBe(id);
    expect(await session.getSessionId()).toBe(id);
    await okOf(sessions.terminate(id));
    await expect(session.addItems([user('too late')])).rejects.toThrow('invalid_transition');
  });
});
