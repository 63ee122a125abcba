import {
  type BaseSessionService,
  createEvent,
  type Event,
  InMemorySessionService,
  LogLevel,
  type Session,
  setLogLevel,
} from '@google/adk';
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
  listing,
  PAGE,
  type Peer,
  SAID,
  SESSIONS,
  upTo,
} from './peer.js';
import { answersOf, askAppends } from './questions.js';

export const OWNER = { appName: 'peers', userId: 'a-user' };
const FIRST = Date.UTC(2026, 0, 31);

/** Of another user than the list. */
const OTHER = { ...OWNER, userId: 'another-user' };

export const idOf = (at: number): string => `session-${at}`;

interface Said {
  readonly role: string;
  readonly content: string;
}

const eventOf = ({ role, content }: Said, timestamp = Date.now()): Event =>
  createEvent({ author: role, content: { role, parts: [{ text: content }] }, timestamp });

const create = async (service: BaseSessionService, at: number): Promise<Session> => {
  const session = await service.createSession({ ...OWNER, sessionId: idOf(at) });
  for (const [place, said] of entriesOf(at).entries()) {
    await service.appendEvent({ session, event: eventOf(said, FIRST + at * ENTRIES + place) });
  }
  return session;
};

const lengthOf = async (
  service: BaseSessionService,
  key: typeof OWNER,
  sessionId: string,
): Promise<number> => (await service.getSession({ ...key, sessionId }))?.events.length ?? 0;

/** Appends to sessions that the caller holds, as `createSession` has given them. */
export const appendsOf = (
  name: string,
  service: BaseSessionService,
  sessions: readonly Session[],
  note: string,
): readonly Subject[] => [
  appending(
    { name: `${name} appendEvent`, note },
    async (at) => {
      const session = sessions[at];
      if (session !== undefined) await service.appendEvent({ session, event: eventOf(SAID) });
    },
    (at) => lengthOf(service, OWNER, idOf(at)),
  ),
];

export const getsOf = async (
  name: string,
  service: BaseSessionService,
): Promise<readonly Subject[]> => {
  const session = await service.createSession({ ...OTHER, sessionId: 'long' });
  for (const [place, said] of LONG_HISTORY.entries()) {
    await service.appendEvent({ session, event: eventOf(said, FIRST + place) });
  }
  const get = () =>
    service.getSession({ ...OTHER, sessionId: 'long', config: { numRecentEvents: LATEST } });
  return [
    getting(
      {
        name: `${name} getSession`,
        note: `a session of ${LONG} events with its state; no status, no time limit`,
      },
      async () => ((await get())?.events ?? []).map(({ content }) => content?.parts?.[0]?.text),
    ),
  ];
};

export const countsOf = async (
  name: string,
  service: BaseSessionService,
): Promise<readonly Count[]> => {
  const held = new Map<string, Session>();
  const events = new Map<string, Event>();
  const createSession = async (sessionId: string) => {
    held.set(sessionId, await service.createSession({ ...OTHER, sessionId }));
  };
  const appendEvent = async (sessionId: string, key: string) => {
    const session = (await service.getSession({ ...OTHER, sessionId })) ?? held.get(sessionId);
    const event = events.get(key) ?? eventOf(SAID);
    events.set(key, event);
    if (session !== undefined) await service.appendEvent({ session, event });
  };
  const entriesIn = (id: string) => lengthOf(service, OTHER, id);
  const answers = await askAppends({
    create: createSession,
    append: appendEvent,
    entriesIn,
    remove: (sessionId) => service.deleteSession({ ...OTHER, sessionId }),
  });
  await createSession('again');
  await appendEvent('again', 'before');
  // Where the id is taken, one store refuses and another puts an empty session in its place.
  await createSession('again').catch(() => undefined);
  return [
    ...answersOf(`${name} appendEvent`, answers),
    ...answersOf(`${name} createSession with an id that is taken`, {
      again: await entriesIn('again'),
    }),
  ];
};

/**
 * Newest first, as Colloquy lists, and in no order, which saves the sorting. Sessions are kept in
 * the order of their times: of all orders the quickest to sort.
 */
export const adk = async (): Promise<Peer> => {
  // ADK only logs a warning for a lost event, which would appear between the figures.
  setLogLevel(LogLevel.ERROR);
  const name = '@google/adk';
  const service = new InMemorySessionService();
  const sessions: Session[] = [];
  await fill(async (at) => {
    sessions[at] = await create(service, at);
  });
  const first = { ...OWNER, limit: PAGE, page: 1 };
  const isPageFrom =
    (ids: readonly string[]) => (answer: Awaited<ReturnType<typeof service.listSessions>>) => {
      expect(
        answer.sessions.map(({ id }) => id).join() === ids.join(),
        'the sessions of the first page',
      );
      expect(answer.totalItems === SESSIONS, 'the total');
    };
  return {
    lists: [
      await listing(
        {
          name: `${name} listSessions, newest first`,
          note: `sessions with ${ENTRIES} events each; no history in the list, no status, no time limit; copies every session for a page`,
        },
        () => service.listSessions({ ...first, order: 'desc' }),
        isPageFrom(upTo(PAGE).map((at) => idOf(SESSIONS - 1 - at))),
      ),
      await listing(
        { name: `${name} listSessions, with a limit`, note: 'the same sessions; in no order' },
        () => service.listSessions(first),
        isPageFrom(upTo(PAGE).map(idOf)),
      ),
    ],
    appends: appendsOf(
      name,
      service,
      sessions,
      'to a session that the caller holds; no status, no time limit',
    ),
    gets: await getsOf(name, service),
    counts: () => countsOf(name, service),
    close: async () => undefined,
  };
};
