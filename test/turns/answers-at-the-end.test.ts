import { expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { ada, okOf, openSessions } from '../support/sessions.js';

const worker = { holder: 'worker', seconds: 30 };

/** A store that runs a function between a read of messages and the next call. */
const busyStore = () => {
  const store = new MemorySessionStore({ events: true });
  const busy = { store, between: async (): Promise<void> => undefined };
  const original = store.messages.bind(store);
  const messages: SessionStore['messages'] = async (...given) => {
    const read = original(...given);
    await busy.between();
    return read;
  };
  Object.defineProperty(store, 'messages', { value: messages });
  return busy;
};

test.each([
  ['a terminate that follows it', {}, {}],
  ['the budget that it uses up', { budget: { tokens: 10 } }, { usage: { tokens: 10 } }],
])('an answer is returned even if %s ends the session during the read', async (_, input, more) => {
  const busy = busyStore();
  const { sessions } = openSessions({ store: busy.store });
  const { id } = await okOf(sessions.create({ ...ada, start: true, ...input }));
  await okOf(sessions.send(id, { id: 'm-1', content: 'Why?' }));
  busy.between = async () => {
    busy.between = async () => undefined;
    const [claimed] = (await okOf(sessions.claim(worker))).claimed;
    const { fencingToken = 0 } = claimed?.lease ?? {};
    await okOf(sessions.release(id, { fencingToken, done: true, entries: 'Because.', ...more }));
    await okOf(sessions.terminate(id));
  };
  expect(await okOf(sessions.answer(id, 'm-1'))).toMatchObject({ content: 'Because.' });
});
