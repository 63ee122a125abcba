import { expect, onTestFinished, test, vi } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { SessionService } from '../../src/index.js';
import { createdIn } from '../support/sessions.js';

test('a memory store that keeps few events reports events_lost to a late reader', async () => {
  const store = new MemorySessionStore({ events: { length: 4 } });
  const sessions = new SessionService({ store });
  for (let each = 0; each < 4; each += 1) await createdIn(sessions);
  const firstOf = async (from: string) => {
    const all = sessions.watchAll({ cursor: from })[Symbol.asyncIterator]();
    const { value } = await all.next();
    await all.return?.();
    return value._unsafeUnwrap();
  };
  expect(await firstOf('0')).toMatchObject({ type: 'session.created' });
  // Every event that is left is the first of its session: their numbers do not show that others are
  // gone.
  for (let each = 0; each < 3; each += 1) await createdIn(sessions);
  expect(await firstOf('0')).toMatchObject({ type: 'events_lost' });
});

test('a memory store that keeps few events returns them to a late reader once each and in order', async () => {
  const store = new MemorySessionStore({ events: { length: 4 } });
  const sessions = new SessionService({ store });
  const ids: string[] = [];
  for (let each = 0; each < 7; each += 1) ids.push(await createdIn(sessions));
  const page = store.events?.read('', '0', 10)._unsafeUnwrap();
  expect(page?.events.map(({ sessionId }) => sessionId)).toEqual(ids.slice(-4));
});

test('a memory store returns later changes even after its clock was set back', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  const store = new MemorySessionStore({ events: true });
  const sessions = new SessionService({ store });
  await createdIn(sessions);
  const before = store.events?.latest()._unsafeUnwrap() ?? '';
  vi.setSystemTime(Date.now() - 60_000);
  const id = await createdIn(sessions);
  const page = store.events?.read('', before, 10)._unsafeUnwrap();
  expect(page?.events.map(({ sessionId }) => sessionId)).toEqual([id]);
});
