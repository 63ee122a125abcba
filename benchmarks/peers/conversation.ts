import type { SessionData } from 'express-session';
import type { Subject } from '../harness/index.js';
import { type Count, expect } from '../subjects/suite.js';
import {
  appending,
  ENTRIES,
  entriesOf,
  fill,
  getting,
  LATEST,
  LONG,
  LONG_HISTORY,
  SAID,
  SESSIONS,
} from './peer.js';
import { answersOf, askAppends } from './questions.js';

interface Entry {
  readonly role: string;
  readonly content: string;
}

declare module 'express-session' {
  interface SessionData {
    history: readonly Entry[];
  }
}

/** A session as a host of express-session may keep a conversation in it. */
const conversation = (history: readonly Entry[]): SessionData => ({
  cookie: { originalMaxAge: null },
  history,
});

/** A note for lists of all sessions. */
export const ALL_NOTE =
  `sessions with ${ENTRIES} entries each; gives all sessions with their histories: no pages and no order; ` +
  'no status, no time limit';

export const areWhole = (sessions: readonly SessionData[]): void => {
  expect(sessions.length === SESSIONS, 'all sessions');
  expect(
    sessions.every(({ history }) => history.length === ENTRIES),
    'whole histories',
  );
};

/** What stores of express-session have in common; their own types leave much open. */
export interface Store {
  readonly get: (id: string) => Promise<SessionData | null | undefined>;
  readonly set: (id: string, data: SessionData) => Promise<unknown>;
  readonly destroy: (id: string) => Promise<unknown>;
}

const idOf = (at: number): string => `session-${at}`;

export const fillStore = ({ set }: Store): Promise<void> =>
  fill((at) => set(idOf(at), conversation(entriesOf(at))));

const historyOf = async ({ get }: Store, id: string): Promise<readonly Entry[]> =>
  (await get(id))?.history ?? [];

/**
 * As express-session does it around a request: reads the session, lets the host change it, writes
 * it whole.
 */
const append = async (store: Store, id: string): Promise<void> => {
  await store.set(id, conversation([...(await historyOf(store, id)), SAID]));
};

const NOTE =
  'reads the session and writes it whole: of concurrent changes the last is left; no status, no times of entries';

export const appendsOf = (name: string, store: Store): readonly Subject[] => [
  appending(
    { name: `${name} get and set`, note: NOTE },
    (at) => append(store, idOf(at)),
    async (at) => (await historyOf(store, idOf(at))).length,
  ),
];

/** Apart from the others, since a list gives all sessions. */
export const getsOf = (name: string, store: Store): readonly Subject[] => {
  const subject = getting(
    { name: `${name} get`, note: `a session of ${LONG} entries; reads and parses all of them` },
    async () => (await historyOf(store, 'long')).slice(-LATEST).map(({ content }) => content),
  );
  // Written when the lists have been measured.
  return [
    {
      ...subject,
      renew: () => store.set('long', conversation(LONG_HISTORY)).then(() => undefined),
    },
  ];
};

export const countsOf = async (name: string, store: Store): Promise<readonly Count[]> =>
  answersOf(
    `${name} get and set`,
    await askAppends({
      create: (id) => store.set(id, conversation([])),
      append: (id) => append(store, id),
      entriesIn: async (id) => (await historyOf(store, id)).length,
      remove: store.destroy,
    }),
  );
