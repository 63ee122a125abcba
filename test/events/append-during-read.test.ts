import { expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { okOf, openSessions, startedIn } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';
import { briefOf, watching } from '../support/watching.js';

test('a watch yields a change, not a snapshot, if an append falls between its reads of the entries and the record', async () => {
  const inner = new MemorySessionStore({ events: true });
  let record = Promise.resolve();
  let onEntries = (): void => undefined;
  const store = changed(inner, {
    events: inner.events,
    find: async (...args) => {
      await record;
      return inner.find(...args);
    },
    entries: (...args) => {
      const found = inner.entries(...args);
      onEntries();
      return found;
    },
  });
  const { sessions } = openSessions({ store });
  const other = openSessions({ store: inner }).sessions;
  const say = (content: string) => okOf(other.append(id, [{ role: 'user', content }]));
  const id = await startedIn(sessions);
  const watch = watching(sessions, id);
  expect(briefOf(await watch.next())).toBe('snapshot ACTIVE');
  let show = (): void => undefined;
  record = new Promise((resolve) => {
    show = resolve;
  });
  const areRead = new Promise<void>((resolve) => {
    onEntries = resolve;
  });
  const item = watch.next();
  await say('one');
  await areRead;
  await say('two');
  show();
  expect(briefOf(await item)).toBe('changed ACTIVE one two');
});
