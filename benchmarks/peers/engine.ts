import { SessionService, type SessionStore } from '../colloquy.js';
import { seedSession, seedSessions } from '../seed.js';
import { lookAt, listing as pages } from '../subjects/pages.js';
import { type Count, expect } from '../subjects/suite.js';
import { CHANGES, ENTRIES, keptChanges, listing, PAGE, type Peer, SESSIONS, upTo } from './peer.js';

/** What the peers are measured beside. */
export const BASE = 'colloquy list';

const append = (sessions: SessionService, id: string, content: string) =>
  sessions.append(id, [{ role: 'user', content }]);

const entriesIn = async (sessions: SessionService, id: string): Promise<number> =>
  (await sessions.get(id)).map(({ history }) => history.length).unwrapOr(0);

const changeTogether = async (sessions: SessionService): Promise<number> => {
  const id = await seedSession(sessions, 0, 1);
  await Promise.all(upTo(CHANGES).map((at) => append(sessions, id, String(at))));
  return entriesIn(sessions, id);
};

/** What the peers are asked too: a second create of one session, and an append to one that is gone. */
const repeated = async (sessions: SessionService, store: string): Promise<readonly Count[]> => {
  const input = { face: 'ada', profile: 'tutor', idempotencyKey: 'twice' };
  const { id } = (await sessions.create(input))._unsafeUnwrap();
  await sessions.start(id);
  await append(sessions, id, 'hello');
  await sessions.create(input);
  const kept = await entriesIn(sessions, id);
  await sessions.delete(id);
  const refused = (await append(sessions, id, 'too late')).isErr();
  const count = (figure: string, value: number, unit: string) => ({ figure: `colloquy ${figure}`, value, unit });
  return [
    count(`create once more with its idempotencyKey, ${store}: kept, of 1 entry before`, kept, 'entries'),
    count(`append after delete, ${store}: refused, of 1`, refused ? 1 : 0, 'calls'),
  ];
};

/**
 * Any page, where the peers are asked for their first: the engine has nothing that it remembers of a page. Also the `same`
 * pages as the peers, where a page by number costs more the further it is from the beginning.
 */
export const colloquy = async (store: SessionStore, where: string, same: readonly number[] = []): Promise<Peer> => {
  const sessions = new SessionService({ store });
  await seedSessions(sessions, SESSIONS, ENTRIES);
  const any = pages(sessions, SESSIONS, PAGE);
  const samePages = same.map((page) =>
    listing(
      `${BASE}, page ${page}`,
      'the same sessions',
      async () => (await sessions.list({ limit: PAGE, page })).map((listed) => listed.sessions.length).unwrapOr(0),
      (found) => expect(found === PAGE, 'a page'),
    ),
  );
  const total = (await sessions.list()).map((page) => page.total).unwrapOr(0);
  expect(total === SESSIONS, 'the total');
  return {
    subjects: [
      await listing(
        BASE,
        `any page of sessions with ${ENTRIES} entries each; with status, time limit, duration, history and total, newest first`,
        any,
        (page) => expect(page.length === PAGE, 'a page'),
      ),
      await listing(
        `${BASE}, histories looked at`,
        'the same, and the caller reads every history',
        async () => lookAt(await any()),
        (characters) => expect(characters > 0, 'histories'),
      ),
      ...(await Promise.all(samePages)),
    ],
    counts: async () => [
      keptChanges(`colloquy append, ${where}`, await changeTogether(sessions.forTenant('counts'))),
      ...(await repeated(sessions.forTenant('counts'), where)),
    ],
    close: async () => undefined,
  };
};
