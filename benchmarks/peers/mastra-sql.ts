import { LibSQLStore } from '@mastra/libsql';
import { PostgresStore } from '@mastra/pg';
import { expect } from '../subjects/suite.js';
import { pageOf, RELAXED } from './engine.js';
import {
  appendsOf,
  countsOf,
  getsOf,
  idOf,
  latestOf,
  OWNER,
  wholeNote,
  writeWholeThread,
} from './mastra-memory.js';
import { ENTRIES, fill, listing, MIDDLE, PAGE, type Peer, SESSIONS, upTo } from './peer.js';

interface Kind {
  readonly name: string;
  readonly store: LibSQLStore | PostgresStore;
  readonly append: { readonly note: string; readonly beside?: string };
}

const peerOf = async ({ name, store, append }: Kind): Promise<Peer> => {
  await store.init();
  const memory = await store.getStore('memory');
  if (memory === undefined) throw new Error(`${name} has no memory store`);
  await fill((at) => writeWholeThread(memory, at));
  const ask = (page: number) =>
    memory.listThreads({
      filter: { resourceId: OWNER },
      perPage: PAGE,
      page: page - 1,
      orderBy: { field: 'createdAt', direction: 'DESC' },
    });
  const check = (page: number, { threads, total }: Awaited<ReturnType<typeof ask>>): void => {
    const expected = upTo(PAGE).map((at) => idOf(SESSIONS - 1 - at - (page - 1) * PAGE));
    expect(threads.map(({ id }) => id).join() === expected.join(), 'the threads, in order');
    expect(total === SESSIONS, 'the total');
  };
  const page = (number: number, label: string, note: string) =>
    listing(
      { name: label, note, beside: pageOf(number) },
      () => ask(number),
      (answer) => check(number, answer),
    );
  const wholePage = async () => {
    const answer = await ask(1);
    return {
      answer,
      histories: await Promise.all(answer.threads.map(({ id }) => latestOf(memory, id, ENTRIES))),
    };
  };
  return {
    lists: [
      await page(
        1,
        `${name} listThreads`,
        `${wholeNote}; no messages in the list, no status, no time limit; counts all threads for a page`,
      ),
      await listing(
        {
          name: `${name} listThreads, listMessages of each`,
          note: 'the same with the latest messages of the ten',
          beside: pageOf(1),
        },
        wholePage,
        ({ answer, histories }) => {
          check(1, answer);
          expect(
            histories.every(({ messages }) => messages.length === ENTRIES),
            'whole histories',
          );
        },
      ),
      await page(
        MIDDLE,
        `${name} listThreads, page ${MIDDLE}`,
        `${wholeNote}; no messages in the list`,
      ),
    ],
    appends: appendsOf(name, memory, append.note, append.beside),
    gets: getsOf(name, memory, 'counts all messages of the thread'),
    counts: () => countsOf(name, memory),
    close: () => store.close(),
  };
};

export const mastraOnSqlite = (file: string): Promise<Peer> =>
  peerOf({
    name: '@mastra/libsql',
    store: new LibSQLStore({ id: 'peers', url: `file:${file}` }),
    append: {
      note: 'sets synchronous = NORMAL: a crash of the machine may lose it; does not check that the thread exists; two transactions',
      beside: RELAXED,
    },
  });

export const mastraOnPostgres = (url: string): Promise<Peer> =>
  peerOf({
    name: '@mastra/pg',
    store: new PostgresStore({ id: 'peers', connectionString: url }),
    append: {
      note: 'checks that the thread exists; the order is that of the times the callers give',
    },
  });
