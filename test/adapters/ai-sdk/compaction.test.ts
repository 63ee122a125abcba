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

/**
 * What the model gets: the summary, and the messages that it does not cover. As in the
 * documentation.
 */
const modelInput = async (id: string): Promise<Message[]> => {
  const { metadata, revision } = await unwrap(sessions.get(id, { historyLimit: 0 }));
  const covered = Number(metadata['covered'] ?? 0);
  const { entries } = await unwrap(sessions.history(id, { before: covered, limit: 1 }));
  // After an edit of an earlier message, the summary contains messages that are no longer in the
  // chat.
  const isCurrent = covered > 0 && entries[0]?.position === covered;
  const [after, known] = isCurrent ? [covered, metadata['summary']] : [0];
  const { messages, positions } = await unwrap(
    loadMessages<Message>(sessions, id, { after, last: 1000 }),
  );
  if (messages.length <= 100) {
    return known === undefined ? messages : [said('summary', 'system', String(known)), ...messages];
  }
  const old = messages.slice(0, -20);
  const next = {
    summary: await summarize(known, old),
    covered: positions.get(old.at(-1)?.id ?? '') ?? after,
  };
  const updated = await sessions.update(id, { metadata: next }, { ifRevision: revision });
  // A conflict: another process has compacted the chat in the meantime, and its summary stays.
  if (updated.isErr() && updated.error.type !== 'conflict') throw updated.error;
  return modelInput(id);
};

test('compacts a chat of 300 messages for the model without shortening the stored transcript', async () => {
  const chat = { face: 'assistant', profile: 'chat', start: true };
  const { id } = await unwrap(sessions.create(chat));
  const all = upTo(300).map((at) =>
    said(`m-${at}`, at % 2 === 0 ? 'user' : 'assistant', `turn ${at}`),
  );
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
    const counts = [...String(metadata['summary']).matchAll(/\[(\d+) messages\]/g)].map(
      ([, count]) => Number(count),
    );
    expect(counts.length).toBeGreaterThan(1);
    expect(counts.reduce((sum, count) => sum + count, 0) + rest.length).toBe(300);
  }
  const transcript = await unwrap(loadMessages<Message>(sessions, id, { last: 1000 }));
  expect(transcript.messages).toEqual(all);
});

test('rewrites the summary when an edit removes messages that it covers', async () => {
  const { id } = await unwrap(sessions.create({ start: true }));
  const all = upTo(150).map((at) => said(`m-${at}`, 'user', `turn ${at}`));
  await unwrap(saveMessages(sessions, id, all));
  expect((await modelInput(id))[0]).toEqual(said('summary', 'system', '[130 messages]'));
  const { positions } = await unwrap(loadMessages<Message>(sessions, id, { last: 1000 }));
  const { position } = await unwrap(sessions.history(id, { last: 1 }));
  const to = positions.get('m-9') ?? 0;
  await unwrap(
    sessions.rewind(id, {
      to,
      entries: [{ role: 'user', content: 'edited' }],
      ifPosition: position,
    }),
  );
  expect((await modelInput(id)).map(({ id: each }) => each).slice(0, 10)).toEqual(
    upTo(10).map((at) => `m-${at}`),
  );
});

test('loads the messages after a position in pages, and an empty page after the last message', async () => {
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
