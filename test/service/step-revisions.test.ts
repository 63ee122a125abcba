import { expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { SessionService } from '../../src/index.js';
import { changed } from '../support/store-doubles.js';

test('the end of a turn has its own revision, so that nothing decided before it is stored after it', async () => {
  const store = new MemorySessionStore();
  const revisions: (readonly [before: number, after: number])[] = [];
  const watched = changed(store, {
    change: (commit) => {
      const put = 'put' in commit.effects ? commit.effects.put : undefined;
      if (put !== undefined) revisions.push([put.previous.revision, put.state.revision]);
      return store.change(commit);
    },
  });
  const sessions = new SessionService({ store: watched }).orThrow;
  await sessions.reply('chat', 'Hello', async ({ take }) => void (await take({ after: 'Hm.' })), {
    create: true,
  });
  await sessions.send('chat', 'More');
  await sessions.withdraw('chat');
  expect(revisions.filter(([before, after]) => before === after)).toEqual([]);
});
