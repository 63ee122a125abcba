import type { SessionStore } from '../store/session-store.js';
import { answerOf } from './answers.js';
import { append, begin, due, FAR, placed, waiting } from './commits.js';
import { eventsAfter, hasEvents } from './event-steps.js';
import { expectEqual } from './expect-equal.js';
import { pageOf } from './page-steps.js';
import { keyOf, live, NOON, operationOf, say } from './samples.js';

export const key = keyOf('one');

/** The session that guards are tried on. It waits for a worker, is leased, and ends at NOON + 100. */
export const guardedState = live('ACTIVE', {
  revision: 5,
  deadline: NOON + 100,
  labels: { user: 'ann' },
  budget: { used: { tokens: 5 }, limits: { tokens: 2 ** 52 }, last: '' },
  work: {
    wakeAt: NOON + 1000,
    lease: { holder: 'w', fencingToken: 7, takenAt: NOON, until: NOON + 50 },
  },
});

/** The positions of the session that guards are tried on. */
export interface Places {
  /** After its first entry, which a rewind has kept. */
  readonly first: number;
  /** After an entry that the rewind has taken out. */
  readonly superseded: number;
  readonly end: number;
}

/** Adds the session. The operation `op` has rewound its history once. */
export const addGuarded = async (store: SessionStore): Promise<Places> => {
  await begin(store, key, { state: guardedState, entries: [say('one'), say('two')] });
  const [first, second] = await placed(store, key);
  if (first === undefined || second === undefined) throw new Error('the entries are not there');
  const guards = { operation: operationOf('op') };
  const end = await append(store, key, ['three'], guards, { truncate: first.position });
  return { first: first.position, superseded: second.position, end };
};

/** All that a change could alter, as the reads show it. */
const everything = async (store: SessionStore) => ({
  record: await answerOf(store.find(key)),
  page: await pageOf(store, {}),
  labelled: await pageOf(store, { labels: { user: 'ann' } }),
  messages: [await answerOf(store.messages(key)), await answerOf(store.messages(key, ['new']))],
  due: await due(store, FAR),
  waiting: [await waiting(store, NOON + 10), await waiting(store, NOON + 99)],
  events: (await hasEvents(store)) ? await eventsAfter(store, '0') : [],
});

/** Fails if a step changes anything that a reader could notice. */
export const expectUnchanged = async (
  store: SessionStore,
  what: string,
  step: () => Promise<void>,
): Promise<void> => {
  const before = await everything(store);
  await step();
  expectEqual(await everything(store), before, what);
};
