import { RedisStore } from '@mastra/redis';
import { expect } from '../subjects/suite.js';
import {
  appendsOf,
  countsOf,
  getsOf,
  idOf,
  latestOf,
  OWNER,
  wholeNote,
  writeThread,
  writeWholeThread,
} from './mastra-memory.js';
import { ENTRIES, fill, listing, PAGE, type Peer, SESSIONS, upTo } from './peer.js';

const NAME = '@mastra/redis';

const open = async (url: string) => {
  const store = new RedisStore({ id: 'peers', connectionString: url });
  await store.init();
  const memory = await store.getStore('memory');
  if (memory === undefined) throw new Error(`${NAME} has no memory store`);
  return { store, memory };
};

type Memory = Awaited<ReturnType<typeof open>>['memory'];

const firstPage = (memory: Memory) =>
  memory.listThreads({
    filter: { resourceId: OWNER },
    perPage: PAGE,
    page: 0,
    orderBy: { field: 'createdAt', direction: 'DESC' },
  });

type Page = Awaited<ReturnType<typeof firstPage>>;

const isFirst = ({ threads, total }: Page): void => {
  const newest = upTo(PAGE).map((at) => idOf(SESSIONS - 1 - at));
  expect(threads.map(({ id }) => id).join() === newest.join(), 'the newest threads, in order');
  expect(total === SESSIONS, 'the total');
};

const wholePage = async (memory: Memory) => {
  const page = await firstPage(memory);
  return {
    page,
    histories: await Promise.all(page.threads.map(({ id }) => latestOf(memory, id, ENTRIES))),
  };
};

/**
 * Two stores: listing looks through all keys of a database, so threads without messages are the
 * better case.
 */
export const mastra = async (url: string, urlOfBareThreads: string): Promise<Peer> => {
  const { store, memory } = await open(url);
  await fill((at) => writeWholeThread(memory, at));
  const bare = await open(urlOfBareThreads);
  await fill((at) => writeThread(bare.memory, at));
  return {
    lists: [
      await listing(
        {
          name: `${NAME} listThreads`,
          note: `${wholeNote}; no messages in the list, no status, no time limit; reads every thread for a page`,
        },
        () => firstPage(memory),
        isFirst,
      ),
      await listing(
        {
          name: `${NAME} listThreads, listMessages of each`,
          note: 'the same with the latest messages of the ten',
        },
        () => wholePage(memory),
        ({ page, histories }) => {
          isFirst(page);
          expect(
            histories.every(({ messages }) => messages.length === ENTRIES),
            'whole histories',
          );
        },
      ),
      await listing(
        {
          name: `${NAME} listThreads, no messages stored`,
          note: 'threads without any messages; otherwise the same',
        },
        () => firstPage(bare.memory),
        isFirst,
      ),
    ],
    appends: appendsOf(
      NAME,
      memory,
      'checks that the thread exists; writes the thread with its time; the order is that of the times the callers give',
    ),
    gets: getsOf(NAME, memory, 'reads and parses every message of the thread'),
    counts: () => countsOf(NAME, memory),
    close: () => Promise.all([store.close(), bare.store.close()]),
  };
};
