import { expect, onTestFinished, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { okOf, openSessions, startedIn } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';

test('an append of another process that comes while a watch looks for the end by the clock is delivered before the end', async () => {
  const inner = new MemorySessionStore({ events: true });
  let look = Promise.resolve();
  const store = changed(inner, {
    events: inner.events,
    find: async (...args) => {
      await look;
      return inner.find(...args);
    },
  });
  const { sessions, clock } = openSessions({ store });
  const other = openSessions({ store: inner }).sessions;
  const id = await startedIn(sessions, { timeLimit: 60 });
  const watch = sessions.watch(id)[Symbol.asyncIterator]();
  onTestFinished(async () => {
    await watch.return?.();
  });
  const next = async () => (await watch.next()).value?._unsafeUnwrap().type;
  expect(await next()).toBe('session.snapshot');
  let show = (): void => undefined;
  look = new Promise((resolve) => {
    show = resolve;
  });
  const item = next();
  clock.pass(60_000);
  await new Promise(setImmediate);
  await okOf(other.append(id, [{ role: 'user', content: 'just in time' }]));
  // The feed reads the event meanwhile.
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  show();
  expect([await item, await next(), await next()]).toEqual(['session.appended', 'session.terminated', undefined]);
});
