import type { RedisSessionStore } from '../../../adapters/redis/index.js';
import type { StateRecord } from '../../../src/session/session-record.js';
import { sessionStatuses } from '../../../src/session/session-status.js';
import { stateAt } from '../../../src/session/time-limits.js';
import { answerOf, type Contents, contentsOf, expectEqual } from '../../../src/testing/answers.js';
import { placed } from '../../../src/testing/commits.js';
import { NOON } from '../../support/manual-clock.js';
import type { TestClient } from '../../support/redis-clients.js';
import { okOf } from '../../support/sessions.js';
import { wrongEntries, wrongEvents } from '../support/stored.js';
import { CREATED, LATER, MESSAGES, TARGET } from './torn-writes.js';

const TENANT = 'default';
const PREFIX = 'colloquy';

/** The session that no write of a trial is about. */
export const OTHER = 's1';

const IDS = [OTHER, TARGET, CREATED, LATER];

/** All that readers who know the ids see. */
export interface Sight {
  readonly sessions: readonly Contents[];
  /** The messages of the target, in the order in which they were sent. */
  readonly messages: readonly Seen[];
}

/** A message, and what became of it. */
type Seen = readonly [id: string, is: 'waiting' | 'taken' | 'withdrawn'];

/** Where to look. */
export interface Looked {
  readonly store: RedisSessionStore;
  readonly client: TestClient;
  readonly events: boolean;
}

const target = { tenant: TENANT, id: TARGET };

/** Fails unless each message that was taken is in its place. */
const messagesIn = async (store: RedisSessionStore): Promise<readonly Seen[]> => {
  const known = await answerOf(store.messages(target, MESSAGES));
  const waiting = await answerOf(store.messages(target));
  expectEqual(
    waiting.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    waiting,
    'the order',
  );
  expectEqual(
    known.filter(({ entry }) => entry !== undefined),
    waiting,
    'the messages that wait',
  );
  const entries = known.some(({ position }) => position) ? await placed(store, target) : [];
  for (const { id, position } of known.filter(({ position }) => position !== undefined))
    expectEqual(entries.find((each) => each.id === id)?.position, position, `the place of ${id}`);
  return known.map(({ id, entry, position }) => {
    if (entry !== undefined) return [id, 'waiting'];
    return [id, position === undefined ? 'withdrawn' : 'taken'];
  });
};

/** Looks at each session, whatever lists it. */
export const glanceAt = async ({ store }: Looked): Promise<Sight> => {
  const sessions: Contents[] = [];
  for (const id of IDS) {
    const found = await answerOf(store.find({ tenant: TENANT, id }));
    expectEqual(
      await answerOf(store.findState({ tenant: TENANT, id })),
      found?.state,
      `the state of ${id}`,
    );
    if (found !== undefined) sessions.push(contentsOf(found));
  }
  return { sessions, messages: await messagesIn(store) };
};

/**
 * Fails unless lists and totals are exact and every change has its event. Gives the events of
 * changes that are not there.
 */
export const expectExact = async (
  { store, client, events }: Looked,
  { sessions }: Sight,
): Promise<readonly string[]> => {
  const totalOf = async (
    range: Parameters<RedisSessionStore['page']>[1],
  ): Promise<readonly [number, number]> => {
    const { total, records, unreadable } = await answerOf(store.page(TENANT, range));
    expectEqual(unreadable, [], 'what a list cannot read');
    return [total, records.length];
  };
  const page = { offset: 0, limit: 100 };
  expectEqual(await totalOf(page), [sessions.length, sessions.length], 'total');
  for (const status of sessionStatuses) {
    const count = sessions.filter(({ state }) => stateAt(state, NOON).status === status).length;
    expectEqual(
      await totalOf({ ...page, status: { anyOf: [status], now: NOON } }),
      [count, count],
      status,
    );
  }
  expectEqual(await wrongEntries(client, PREFIX), [], 'wrong entries');
  if (!events) return [];
  const { wrong, ghosts } = await wrongEvents(client, PREFIX);
  expectEqual(wrong, [], 'changes without events');
  return ghosts;
};

export const sightOf = async (looked: Looked): Promise<Sight> => {
  const sight = await glanceAt(looked);
  await expectExact(looked, sight);
  return sight;
};

/** Repairs the store. Gives how many entries it has corrected; another repair finds nothing. */
export const repaired = async ({ store }: Looked, { sessions }: Sight): Promise<number> => {
  const { unreadable, listed, rescheduled, removed } = await okOf(store.repair());
  expectEqual(unreadable, [], 'what a repair cannot read');
  expectEqual(
    await okOf(store.repair()),
    { sessions: sessions.length, listed: 0, rescheduled: 0, removed: 0, unreadable: [] },
    'what another repair finds',
  );
  return listed + rescheduled + removed;
};

/** The same, with further entries at the end of one history. */
export const withEntry = (sight: Sight, id: string, ...entries: Contents['history']): Sight => ({
  ...sight,
  sessions: sight.sessions.map((session) =>
    session.head.id === id ? { ...session, history: [...session.history, ...entries] } : session,
  ),
});

/** The same, with the messages of another sight, and the state that says how many wait. */
export const withInboxOf = (sight: Sight, { sessions, messages }: Sight): Sight => ({
  messages,
  sessions: sight.sessions.map((session) => {
    const found = sessions.find(({ head }) => head.id === TARGET);
    return session.head.id === TARGET && found !== undefined
      ? { ...session, state: found.state }
      : session;
  }),
});

const withoutChance = ({ report, work, ...state }: StateRecord): object => {
  const { lease, retryAt, ...rest } = work;
  return {
    ...state,
    revision: 0,
    report: report && { ...report, removal: '' },
    work: {
      ...rest,
      isDelayed: retryAt !== undefined,
      lease: lease && { ...lease, fencingToken: 0 },
    },
  };
};

/** The same, but for what a repeated write draws anew: revisions, tokens and delays. */
export const withoutRevisions = ({ sessions, messages }: Sight): object => ({
  messages,
  sessions: sessions.map((session) => ({ ...session, state: withoutChance(session.state) })),
});
