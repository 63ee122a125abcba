import { expect, test } from 'vitest';
import { loadMessages, saveMessages } from '../../../adapters/ai-sdk/index.js';
import { MemorySessionStore } from '../../../adapters/memory/index.js';
import { SessionService, unwrap } from '../../../src/index.js';
import { upTo } from '../../../src/testing/samples.js';

const sessions = new SessionService({ store: new MemorySessionStore() });

interface Message {
  readonly id: string;
  readonly role: 'system' | 'user' | 'assistant';
  readonly parts: readonly { readonly type: 'text'; readonly text: string }[];
}

const said = (id: string, role: Message['role'], text: string): Message => ({
  ...{ id, role },
  parts: [{ type: 'text', text }],
});

const summarize = async (before: unknown, messages: readonly Message[]): Promise<string> =>
  `${before ?? ''}[${messages.length} messages]`;

/** What the model gets: the summary, and the messages that it does not cover. As in the documentation. */
const modelInput = async (id: string): Promise<Message[]> => {
  const { metadata, revision } = await unwrap(sessions.get(id, { historyLimit: 0 }));
  const after = Number(metadata['covered'] ?? 0);
  const { messages, positions } = await unwrap(loadMessages<Message>(sessions, id, { after, last: 1000 }));
  if (messages.length <= 100) {
    const summary = metadata['summary'];
    return summary === undefined ? messages : [said('summary', 'system', String(summary)), ...messages];
  }
  const old = messages.slice(0, -20);
  const summary = await summarize(metadata['summary'], old);
  const covered = positions.get(old.at(-1)?.id ?? '') ?? after;
  // If another process has compacted the chat meanwhile, its summary stays: a conflict.
  await sessions.update(id, { metadata: { summary, covered } }, { ifRevision: revision });
  return modelInput(id);
};

test('a chat of 300 messages is compacted for the model, and its transcript stays whole', async () => {
  const chat = { face: 'assistant', profile: 'chat', start: true };
  const { id } = await unwrap(sessions.create(chat));
  const all = upTo(300).map((at) => said(`m-${at}`, at % 2 === 0 ? 'user' : 'assistant', `turn ${at}`));
  for (const at of upTo(6)) {
    await unwrap(saveMessages(sessions, id, all.slice(at * 50, at * 50 + 50)));
    await modelInput(id);
  }
  await unwrap(saveMessages(sessions, id, all));
  const inputs = await Promise.all([modelInput(id), modelInput(id)]);
  const { metadata } = await unwrap(sessions.get(id, { historyLimit: 0 }));
  for (const [summary, ...rest] of inputs) {
    expect(summary).toEqual(said('summary', 'system', String(metadata['summary'])));
    expect(rest).toEqual(all.slice(-rest.length));
    expect(rest.length).toBeLessThanOrEqual(100);
    const counts = [...String(metadata['summary']).matchAll(/\[(\d+) messages\]/g)].map(([, count]) => Number(count));
    expect(counts.length).toBeGreaterThan(1);
    expect(counts.reduce((sum, count) => sum + count, 0) + rest.length).toBe(300);
  }
  const transcript = await unwrap(loadMessages<Message>(sessions, id, { last: 1000 }));
  expect(transcript.messages).toEqual(all);
});

test('messages after a position come in pages, and after the last one there are none', async () => {
  const { id } = await unwrap(sessions.create({ face: 'assistant', profile: 'chat', start: true }));
  const all = upTo(5).map((at) => said(`m-${at}`, 'user', `turn ${at}`));
  const { position } = await unwrap(saveMessages(sessions, id, all));
  const load = (after: number) => unwrap(loadMessages<Message>(sessions, id, { after, last: 2 }));
  const first = await load(0);
  const second = await load(first.after ?? 0);
  const third = await load(second.after ?? 0);
  expect([first, second, third].map(({ messages }) => messages.length)).toEqual([2, 2, 1]);
  expect([...first.messages, ...second.messages, ...third.messages]).toEqual(all);
  expect(third.after).toBeUndefined();
  expect((await load(position)).messages).toEqual([]);
});
