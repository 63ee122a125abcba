import { expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { SessionService } from '../../src/index.js';
import { createdIn } from '../support/sessions.js';

test('a memory store that keeps few events reports to a late reader that older ones were trimmed', async () => {
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
  // Every event that is left is the first of its session: their numbers do not show that others are gone.
  for (let each = 0; each < 3; each += 1) await createdIn(sessions);
  expect(await firstOf('0')).toMatchObject({ type: 'events_lost' });
});
