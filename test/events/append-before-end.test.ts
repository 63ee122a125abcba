import { expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { okOf, openSessions, startedIn } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';
import { briefOf, watching } from '../support/watching.js';

test("a watch delivers another process's append together with the end, if it arrives while the watch reads the overdue session", async () => {
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
  const watch = watching(sessions, id);
  const next = async () => briefOf(await watch.next());
  expect(await next()).toBe('snapshot ACTIVE');
  let show = (): void => undefined;
  look = new Promise((resolve) => {
    show = resolve;
  });
  const item = next();
  clock.pass(60_000);
  await new Promise(setImmediate);
  await okOf(other.append(id, [{ role: 'user', content: 'just in time' }]));
  // The feed reads the event before that.
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
  show();
  expect([await item, await next()]).toEqual(['changed TERMINATED time_limit just in time', 'end']);
});
