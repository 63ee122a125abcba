import { DatabaseSessionService, LogLevel, type Session, setLogLevel } from '@google/adk';
import { expect } from '../subjects/suite.js';
import { appendsOf, countsOf, getsOf, idOf, OWNER } from './adk.js';
import { pageOf } from './engine.js';
import { fill, listing, MIDDLE, PAGE, type Peer, SESSIONS } from './peer.js';

const NAME = '@google/adk DatabaseSessionService';

/** Sessions in PostgreSQL, without events, which `listSessions` does not read. */
export const adkOnPostgres = async (url: string): Promise<Peer> => {
  setLogLevel(LogLevel.ERROR);
  const service = new DatabaseSessionService(url);
  await service.init();
  const sessions: Session[] = [];
  await fill(async (at) => {
    sessions[at] = await service.createSession({ ...OWNER, sessionId: idOf(at) });
  }, 1);
  const page = (number: number, name: string, note: string) =>
    listing(
      { name, note, beside: pageOf(number) },
      () => service.listSessions({ ...OWNER, limit: PAGE, page: number, order: 'desc' }),
      (answer) => {
        expect(new Set(answer.sessions.map(({ id }) => id)).size === PAGE, 'a page of sessions');
        expect(answer.totalItems === SESSIONS, 'the total');
      },
    );
  return {
    lists: [
      await page(
        1,
        `${NAME} listSessions`,
        'sessions without events; no history in the list, no status, no time limit; by last change; counts and sorts all sessions for a page',
      ),
      await page(MIDDLE, `${NAME} listSessions, page ${MIDDLE}`, 'the same sessions'),
    ],
    appends: appendsOf(
      NAME,
      service,
      sessions,
      'to a session that the caller holds and nobody else changes; locks its row; no status, no time limit',
    ),
    gets: await getsOf(NAME, service),
    counts: () => countsOf(NAME, service),
    // It has no method for this, and its open connections would keep the process.
    close: async () => service['orm']?.close(),
  };
};
