import { SessionService, type SessionStore } from '../colloquy.js';
import type { Subject } from '../harness/index.js';
import { seedSessions } from '../seed.js';
import { lookAt, listing as pages } from '../subjects/pages.js';
import { type Count, expect, must } from '../subjects/suite.js';
import {
  appending,
  ENTRIES,
  getting,
  LATEST,
  LONG,
  LONG_HISTORY,
  listing,
  PAGE,
  type Peer,
  SAID,
  SESSIONS,
} from './peer.js';
import { type Answers, answersOf, askAppends } from './questions.js';

/** What the peers are measured beside, if not beside a row that is more like theirs. */
export const BASE = {
  list: 'colloquy list',
  append: 'colloquy append',
  get: 'colloquy get',
} as const;

export const pageOf = (page: number): string => `${BASE.list}, page ${page}`;

export const RELAXED = `${BASE.append}, synchronous = NORMAL`;

const CREATE = { face: 'ada', profile: 'tutor' } as const;

const entriesIn = async (sessions: SessionService, id: string): Promise<number> =>
  (await sessions.get(id, { historyLimit: 0 })).map(({ historyCount }) => historyCount).unwrapOr(0);

const asked = async (sessions: SessionService): Promise<Answers> => {
  const ids = new Map<string, string>();
  const idOf = (name: string): string => ids.get(name) ?? '';
  return askAppends({
    create: async (name) => {
      const { id } = await must(sessions.create(CREATE));
      await must(sessions.start(id));
      ids.set(name, id);
    },
    append: (name, operationId) => must(sessions.append(idOf(name), [SAID], { operationId })),
    entriesIn: (name) => entriesIn(sessions, idOf(name)),
    remove: (name) => must(sessions.delete(idOf(name))),
  });
};

/** What becomes of a history when its session is created a second time. */
const createdAgain = async (sessions: SessionService): Promise<number> => {
  const input = { ...CREATE, idempotencyKey: 'twice' };
  const { id } = await must(sessions.create(input));
  await must(sessions.start(id));
  await must(sessions.append(id, [SAID]));
  await must(sessions.create(input));
  return entriesIn(sessions, id);
};

const latest = async (sessions: SessionService): Promise<Subject> => {
  const { id } = await must(sessions.create(CREATE));
  await must(sessions.start(id));
  await must(sessions.append(id, LONG_HISTORY));
  return getting(
    { name: BASE.get, note: `a session of ${LONG} entries with status, time limit and duration` },
    async () =>
      (await must(sessions.get(id, { historyLimit: LATEST }))).history.map(
        ({ content }) => content,
      ),
  );
};

export interface EngineOptions {
  /** The database, in words. */
  readonly where: string;
  /**
   * Pages that get rows of their own, where a page by number costs more the further it is from the
   * beginning.
   */
  readonly pages?: readonly number[];
  /** The same database opened with `synchronous = NORMAL`, as some peers open theirs. */
  readonly relaxed?: SessionStore;
}

/**
 * Any page, where the peers are asked for their first: the engine has nothing that it remembers of
 * a page.
 */
export const colloquy = async (store: SessionStore, options: EngineOptions): Promise<Peer> => {
  const { where, pages: same = [], relaxed } = options;
  const sessions = new SessionService({ store });
  const ids = await seedSessions(sessions, SESSIONS, ENTRIES);
  const any = pages(sessions, SESSIONS, PAGE);
  const isPage = (page: readonly unknown[]) => expect(page.length === PAGE, 'a page');
  expect((await must(sessions.list())).total === SESSIONS, 'the total');
  const samePages = same.map((page) =>
    listing(
      { name: pageOf(page), note: 'the same sessions', beside: pageOf(page) },
      async () => (await must(sessions.list({ limit: PAGE, page }))).sessions,
      isPage,
    ),
  );
  const appendBy = (service: SessionService, name: string, note: string) =>
    appending(
      { name, note, beside: name },
      (at) => must(service.append(ids[at] ?? '', [SAID])),
      (at) => entriesIn(service, ids[at] ?? ''),
    );
  const note =
    'checks status and time limit, numbers the entry and the change, keeps the last activity';
  const apart = sessions.forTenant('counts');
  const counts = async (): Promise<readonly Count[]> => [
    ...answersOf(`colloquy append with an operationId, ${where}`, await asked(apart)),
    ...answersOf(`colloquy create with an idempotencyKey, ${where}`, {
      again: await createdAgain(apart),
    }),
  ];
  return {
    lists: [
      await listing(
        {
          name: BASE.list,
          note: `any page of sessions with ${ENTRIES} entries each; with status, time limit, duration, history and total, newest first`,
        },
        any,
        isPage,
      ),
      await listing(
        {
          name: `${BASE.list}, histories looked at`,
          note: 'the same, and the caller reads every history',
        },
        async () => lookAt(await any()),
        (characters) => expect(characters > 0, 'histories'),
      ),
      ...(await Promise.all(samePages)),
    ],
    appends: [
      appendBy(sessions, BASE.append, note),
      ...(relaxed === undefined
        ? []
        : [
            appendBy(
              new SessionService({ store: relaxed }),
              RELAXED,
              'the same, but a crash of the machine may lose it',
            ),
          ]),
    ],
    gets: [await latest(sessions.forTenant('long'))],
    counts,
    close: async () => undefined,
  };
};
