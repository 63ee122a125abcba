import { RedisStore } from '@mastra/redis';
import { expect } from '../subjects/suite.js';
import { CHANGES, ENTRIES, entriesOf, fill, keptChanges, listing, PAGE, type Peer, SESSIONS, upTo } from './peer.js';

const OWNER = 'a-user';
const FIRST = Date.UTC(2026, 0, 31);

const idOf = (at: number): string => `thread-${at}`;

const threadOf = (at: number) => {
  const date = new Date(FIRST + at);
  return { id: idOf(at), resourceId: OWNER, title: 'ada', metadata: {}, createdAt: date, updatedAt: date };
};

const messagesOf = (at: number) =>
  entriesOf(at).map(({ role, content }, place) => ({
    id: `message-${at}-${place}`,
    threadId: idOf(at),
    resourceId: OWNER,
    role,
    createdAt: new Date(FIRST + at + place),
    content: { format: 2 as const, parts: [{ type: 'text' as const, text: content }] },
  }));

const open = async (url: string) => {
  const store = new RedisStore({ id: 'peers', connectionString: url });
  await store.init();
  const memory = await store.getStore('memory');
  if (memory === undefined) throw new Error('@mastra/redis has no memory store');
  return { store, memory };
};

type Memory = Awaited<ReturnType<typeof open>>['memory'];

const listThreads = (memory: Memory, name: string, note: string) =>
  listing(
    name,
    note,
    () =>
      memory.listThreads({
        filter: { resourceId: OWNER },
        perPage: PAGE,
        page: 0,
        orderBy: { field: 'createdAt', direction: 'DESC' },
      }),
    ({ threads, total }) => {
      const newest = upTo(PAGE).map((at) => idOf(SESSIONS - 1 - at));
      expect(threads.map(({ id }) => id).join() === newest.join(), 'the newest threads, in order');
      expect(total === SESSIONS, 'the total');
    },
  );

/** `updateThread` adds to a thread's metadata by itself, so each caller names only its own change. */
const changeTogether = async (memory: Memory): Promise<number> => {
  const id = idOf(0);
  await Promise.all(upTo(CHANGES).map((at) => memory.updateThread({ id, title: 'ada', metadata: { [`c${at}`]: at } })));
  const thread = await memory.getThreadById({ threadId: id });
  return Object.keys(thread?.metadata ?? {}).length;
};

/** Two stores: listing looks through all keys of a database, so threads without messages are the better case. */
export const mastra = async (url: string, urlOfBareThreads: string): Promise<Peer> => {
  const { store, memory } = await open(url);
  await fill(async (at) => {
    await memory.saveThread({ thread: threadOf(at) });
    await memory.saveMessages({ messages: messagesOf(at) });
  });
  const bare = await open(urlOfBareThreads);
  await fill((at) => bare.memory.saveThread({ thread: threadOf(at) }));
  return {
    subjects: [
      await listThreads(
        memory,
        '@mastra/redis listThreads',
        `threads with ${ENTRIES} messages each; no messages in the list, no status, no time limit; reads every thread for a page`,
      ),
      await listThreads(
        bare.memory,
        '@mastra/redis listThreads, no messages stored',
        'threads without any messages; otherwise the same',
      ),
    ],
    counts: async () => [keptChanges('@mastra/redis updateThread', await changeTogether(memory))],
    close: () => Promise.all([store.close(), bare.store.close()]),
  };
};
