import { createEvent, DatabaseSessionService, InMemorySessionService, LogLevel, setLogLevel } from '@google/adk';
import { type Count, expect } from '../subjects/suite.js';
import { ENTRIES, entriesOf, fill, listing, PAGE, type Peer, SESSIONS, upTo } from './peer.js';

const OWNER = { appName: 'peers', userId: 'a-user' };
const FIRST = Date.UTC(2026, 0, 31);

const idOf = (at: number): string => `session-${at}`;

const said = (text: string, timestamp: number) =>
  createEvent({ author: 'user', content: { role: 'user', parts: [{ text }] }, timestamp });

const create = async (service: InMemorySessionService, at: number): Promise<void> => {
  const session = await service.createSession({ ...OWNER, sessionId: idOf(at) });
  for (const [place, { content }] of entriesOf(at).entries()) {
    await service.appendEvent({ session, event: said(content, FIRST + at * ENTRIES + place) });
  }
};

/** What becomes of a history when its session is created a second time, and of an append after a delete. */
const surprises = async (service: InMemorySessionService): Promise<readonly Count[]> => {
  const key = { ...OWNER, sessionId: 'twice' };
  const session = await service.createSession(key);
  await service.appendEvent({ session, event: said('hello', FIRST) });
  const refusedCreate = await fails(service.createSession(key));
  const kept = (await service.getSession(key))?.events.length ?? 0;
  await service.deleteSession(key);
  const refusedAppend = await fails(service.appendEvent({ session, event: said('too late', FIRST) }));
  const found = (await service.getSession(key))?.events.length ?? 0;
  const count = (figure: string, value: number, unit: string) => ({ figure: `@google/adk ${figure}`, value, unit });
  return [
    count('createSession with an id that is taken: refused, of 1', refusedCreate, 'calls'),
    count('createSession with an id that is taken: kept, of 1 event before', kept, 'events'),
    count('appendEvent after deleteSession: refused, of 1', refusedAppend, 'calls'),
    count('appendEvent after deleteSession: kept, of 1 event', found, 'events'),
  ];
};

const fails = (call: Promise<unknown>): Promise<number> =>
  call.then(
    () => 0,
    () => 1,
  );

/**
 * Newest first, as Colloquy lists, and in no order, which saves the sorting. Sessions are kept in the order of their
 * times: of all orders the quickest to sort.
 */
export const adk = async (): Promise<Peer> => {
  // ADK only logs a warning for a lost event, which would appear between the figures.
  setLogLevel(LogLevel.ERROR);
  const service = new InMemorySessionService();
  await fill((at) => create(service, at));
  const first = { ...OWNER, limit: PAGE, page: 1 };
  const isPageFrom = (ids: readonly string[]) => (answer: Awaited<ReturnType<typeof service.listSessions>>) => {
    expect(answer.sessions.map(({ id }) => id).join() === ids.join(), 'the sessions of the first page');
    expect(answer.totalItems === SESSIONS, 'the total');
  };
  return {
    subjects: [
      await listing(
        '@google/adk listSessions, newest first',
        `sessions with ${ENTRIES} events each; no history in the list, no status, no time limit; copies every session for a page`,
        () => service.listSessions({ ...first, order: 'desc' }),
        isPageFrom(upTo(PAGE).map((at) => idOf(SESSIONS - 1 - at))),
      ),
      await listing(
        '@google/adk listSessions, with a limit',
        'the same sessions; in no order',
        () => service.listSessions(first),
        isPageFrom(upTo(PAGE).map(idOf)),
      ),
    ],
    counts: () => surprises(service),
    close: async () => undefined,
  };
};

/** Sessions in PostgreSQL, without events, which `listSessions` does not read. */
export const adkOnPostgres = async (url: string): Promise<Peer> => {
  setLogLevel(LogLevel.ERROR);
  const service = new DatabaseSessionService(url);
  await service.init();
  await fill((at) => service.createSession({ ...OWNER, sessionId: idOf(at) }), 1);
  const page = (number: number, label: string, note: string) =>
    listing(
      label,
      note,
      () => service.listSessions({ ...OWNER, limit: PAGE, page: number, order: 'desc' }),
      (answer) => {
        expect(new Set(answer.sessions.map(({ id }) => id)).size === PAGE, 'a page of sessions');
        expect(answer.totalItems === SESSIONS, 'the total');
      },
    );
  return {
    subjects: [
      await page(
        1,
        '@google/adk DatabaseSessionService listSessions',
        'sessions without events; no history in the list, no status, no time limit; by last change; counts and sorts all sessions for a page',
      ),
      await page(500, '@google/adk DatabaseSessionService listSessions, page 500', 'the same sessions'),
    ],
    counts: async () => [],
    // It has no method for this, and its open connections would keep the process.
    close: async () => service['orm']?.close(),
  };
};
