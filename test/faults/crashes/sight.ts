import type { RedisSessionStore } from '../../../adapters/redis/index.js';
import { isEndByClock } from '../../../src/session/timeline.js';
import { expectEqual } from '../../../src/testing/expect.js';
import { answerOf, type Contents, contentsOf, dueOf, expectStored } from '../../../src/testing/steps.js';
import { okOf } from '../../support/sessions.js';
import { FAR } from './torn-writes.js';

const TENANT = 'default';

/** All that readers of a store see. */
export interface Sight {
  readonly sessions: readonly Contents[];
}

/** Looks at a store by its list, and at each session and its state, which must agree. Changes nothing. */
export const glanceAt = async (store: RedisSessionStore): Promise<Sight> => {
  const page = await answerOf(store.list(TENANT, { offset: 0, limit: 100 }));
  const sessions = page.records.map(contentsOf);
  expectEqual(page.unreadable, [], 'what the list cannot read');
  expectEqual(page.total, sessions.length, 'total');
  for (const session of sessions) await expectStored(store, { tenant: TENANT, id: session.head.id }, session);
  return { sessions };
};

/**
 * Looks at a store in every way there is, which must all agree: by the list, at each session and its state, by the
 * deadlines. Nothing may be unreadable, and no index may lack an entry. Entries that lead nowhere do no harm: a crash
 * may leave them, and a repair takes them away.
 */
export const sightOf = async (store: RedisSessionStore): Promise<Sight> => {
  const { sessions } = await glanceAt(store);
  // An end that nobody was told of is due, whenever it was told or claimed last.
  const untold = sessions.filter(({ state }) => isEndByClock(state)).map(({ head: { id } }) => id);
  const due = sessions
    .map(({ head: { id }, state: { deadline } }) => ({ tenant: TENANT, id, dueAt: deadline }))
    .filter(({ id, dueAt }) => dueAt < FAR && !untold.includes(id))
    .toSorted((a, b) => a.dueAt - b.dueAt);
  const moments = due.flatMap(({ dueAt }) => [dueAt - 1, dueAt]);
  for (const now of [...moments, FAR]) {
    const passed = due.filter(({ dueAt }) => dueAt <= now);
    const found = (await dueOf(store, now, 100)).filter(({ id }) => !untold.includes(id));
    expectEqual(found, passed, `due at ${now}`);
  }
  const all = (await dueOf(store, FAR, 100)).map(({ id }) => id);
  expectEqual(all.filter((id) => untold.includes(id)).toSorted(), untold.toSorted(), 'ends that are untold');
  const found = await okOf(store.repair());
  expectEqual([found.sessions, found.listed, found.unreadable], [sessions.length, 0, []], 'what a repair finds');
  expectEqual(
    await okOf(store.repair()),
    { sessions: sessions.length, listed: 0, rescheduled: 0, removed: 0, unreadable: [] },
    'what another repair finds',
  );
  return { sessions };
};

/** The same, with further entries at the end of one history. */
export const withEntry = (sight: Sight, id: string, ...entries: Contents['history']): Sight => ({
  sessions: sight.sessions.map((session) =>
    session.head.id === id ? { ...session, history: [...session.history, ...entries] } : session,
  ),
});

/** The same, but for revisions, which begin anywhere. */
export const withoutRevisions = ({ sessions }: Sight): Sight => ({
  sessions: sessions.map((session) => ({ ...session, state: { ...session.state, revision: 0 } })),
});
