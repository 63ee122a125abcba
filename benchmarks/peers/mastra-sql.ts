import { LibSQLStore } from '@mastra/libsql';
import { PostgresStore } from '@mastra/pg';
import { expect } from '../subjects/suite.js';
import { fill, listing, PAGE, type Peer, SESSIONS, upTo } from './peer.js';

const OWNER = 'a-user';
const FIRST = Date.UTC(2026, 0, 31);

/** Far from the beginning: page 500 of 1,000. */
const DEEP = 500;

const idOf = (at: number): string => `thread-${at}`;

const threadOf = (at: number) => {
  const date = new Date(FIRST + at);
  return { id: idOf(at), resourceId: OWNER, title: 'ada', metadata: {}, createdAt: date, updatedAt: date };
};

/** Threads without messages, which `listThreads` of these stores does not read. */
const listThreads = async (name: string, store: LibSQLStore | PostgresStore): Promise<Peer> => {
  await store.init();
  const memory = await store.getStore('memory');
  if (memory === undefined) throw new Error(`${name} has no memory store`);
  await fill((at) => memory.saveThread({ thread: threadOf(at) }));
  const page = (number: number, label: string, note: string) =>
    listing(
      label,
      note,
      () =>
        memory.listThreads({
          filter: { resourceId: OWNER },
          perPage: PAGE,
          page: number - 1,
          orderBy: { field: 'createdAt', direction: 'DESC' },
        }),
      ({ threads, total }) => {
        const expected = upTo(PAGE).map((at) => idOf(SESSIONS - 1 - at - (number - 1) * PAGE));
        expect(threads.map(({ id }) => id).join() === expected.join(), 'the threads, in order');
        expect(total === SESSIONS, 'the total');
      },
    );
  return {
    subjects: [
      await page(
        1,
        `${name} listThreads`,
        'threads without messages; no messages in the list, no status, no time limit; counts all threads for a page',
      ),
      await page(DEEP, `${name} listThreads, page ${DEEP}`, 'the same threads'),
    ],
    counts: async () => [],
    close: () => store.close(),
  };
};

export const mastraOnSqlite = (file: string): Promise<Peer> =>
  listThreads('@mastra/libsql', new LibSQLStore({ id: 'peers', url: `file:${file}` }));

export const mastraOnPostgres = (url: string): Promise<Peer> =>
  listThreads('@mastra/pg', new PostgresStore({ id: 'peers', connectionString: url }));
