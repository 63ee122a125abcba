import type { MemoryStorage } from '@mastra/core/storage';
import type { Subject } from '../harness/index.js';
import type { Count } from '../subjects/suite.js';
import {
  appending,
  ENTRIES,
  entriesOf,
  getting,
  LATEST,
  LONG,
  LONG_HISTORY,
  SAID,
} from './peer.js';
import { answersOf, askAppends, together } from './questions.js';

/* What the stores of Mastra have in common: threads, and messages in them. */

export const OWNER = 'a-user';
const FIRST = Date.UTC(2026, 0, 31);
const LONG_THREAD = 'long';

export const idOf = (at: number): string => `thread-${at}`;

interface Said {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

const messageOf = (
  threadId: string,
  id: string,
  { role, content }: Said,
  createdAt = new Date(),
) => ({
  id,
  threadId,
  resourceId: OWNER,
  role,
  createdAt,
  content: { format: 2 as const, parts: [{ type: 'text' as const, text: content }] },
});

const saveThread = (
  memory: MemoryStorage,
  id: string,
  resourceId: string,
  createdAt = new Date(FIRST),
) =>
  memory.saveThread({
    thread: { id, resourceId, title: 'ada', metadata: {}, createdAt, updatedAt: createdAt },
  });

const saveHistory = (memory: MemoryStorage, id: string, history: readonly Said[], from: number) =>
  memory.saveMessages({
    messages: history.map((said, place) =>
      messageOf(id, `${id}-${place}`, said, new Date(from + place)),
    ),
  });

/** A thread of the list. */
export const writeThread = (memory: MemoryStorage, at: number): Promise<unknown> =>
  saveThread(memory, idOf(at), OWNER, new Date(FIRST + at));

/** The same with messages. */
export const writeWholeThread = async (memory: MemoryStorage, at: number): Promise<void> => {
  await writeThread(memory, at);
  await saveHistory(memory, idOf(at), entriesOf(at), FIRST + at);
};

/** The latest messages of a thread, newest first, and how many it has. */
export const latestOf = (memory: MemoryStorage, threadId: string, perPage: number) =>
  memory.listMessages({
    threadId,
    perPage,
    page: 0,
    orderBy: { field: 'createdAt', direction: 'DESC' },
  });

const entriesIn = async (memory: MemoryStorage, id: string): Promise<number> =>
  (await latestOf(memory, id, 1)).total;

/** The texts of a message. */
const textOf = ({
  content,
}: {
  readonly content: { readonly parts: readonly object[] };
}): unknown => content.parts.flatMap((part) => ('text' in part ? [part.text] : []))[0];

export const appendsOf = (
  name: string,
  memory: MemoryStorage,
  note: string,
  beside?: string,
): readonly Subject[] => {
  let calls = 0;
  return [
    appending(
      { name: `${name} saveMessages`, note, ...(beside !== undefined && { beside }) },
      (at) => {
        calls += 1;
        return memory.saveMessages({ messages: [messageOf(idOf(at), `more-${calls}`, SAID)] });
      },
      (at) => entriesIn(memory, idOf(at)),
    ),
  ];
};

export const getsOf = (name: string, memory: MemoryStorage, note: string): readonly Subject[] => {
  // When the lists have been measured: one of them looks through all keys.
  let isWritten = false;
  const renew = async () => {
    if (isWritten) return;
    await saveThread(memory, LONG_THREAD, 'nobody');
    await saveHistory(memory, LONG_THREAD, LONG_HISTORY, FIRST);
    isWritten = true;
  };
  const row = {
    name: `${name} listMessages`,
    note: `a thread of ${LONG} messages; no status, no time limit; ${note}`,
  };
  const subject = getting(row, async () =>
    (await latestOf(memory, LONG_THREAD, LATEST)).messages.map(textOf).toReversed(),
  );
  return [{ ...subject, renew }];
};

/**
 * `updateThread` adds to a thread's metadata by itself, so each caller names only its own change.
 */
const changeThreadTogether = async (memory: MemoryStorage): Promise<number> => {
  const id = 'changed';
  await saveThread(memory, id, 'nobody');
  await together((at) => memory.updateThread({ id, title: 'ada', metadata: { [`c${at}`]: at } }));
  return Object.keys((await memory.getThreadById({ threadId: id }))?.metadata ?? {}).length;
};

const createAgain = async (memory: MemoryStorage): Promise<number> => {
  await saveThread(memory, 'again', 'nobody');
  await saveHistory(memory, 'again', entriesOf(0).slice(0, 1), FIRST);
  await saveThread(memory, 'again', 'nobody');
  return entriesIn(memory, 'again');
};

export const countsOf = async (name: string, memory: MemoryStorage): Promise<readonly Count[]> => [
  ...answersOf(
    `${name} saveMessages`,
    await askAppends({
      create: (id) => saveThread(memory, id, 'nobody'),
      append: (id, key) => memory.saveMessages({ messages: [messageOf(id, key, SAID)] }),
      entriesIn: (id) => entriesIn(memory, id),
      remove: (threadId) => memory.deleteThread({ threadId }),
    }),
  ),
  ...answersOf(`${name} saveThread`, { again: await createAgain(memory) }),
  ...answersOf(`${name} updateThread: a change of the thread itself`, {
    together: await changeThreadTogether(memory),
  }),
];

export const wholeNote = `threads with ${ENTRIES} messages each`;
