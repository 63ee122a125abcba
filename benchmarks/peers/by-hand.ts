import { randomUUID } from 'node:crypto';
import { type Count, expect } from '../subjects/suite.js';
import { pageOf } from './engine.js';
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
  SESSIONS,
  upTo,
} from './peer.js';
import { answersOf, askAppends } from './questions.js';

export interface Message {
  readonly role: string;
  readonly content: string;
}

export interface Conversation {
  readonly id: string;
  readonly messages: readonly Message[];
}

/** A way to append. */
export interface HandAppend {
  readonly name: string;
  readonly note: string;
  /** `key` names the message, where the table has a place for it. */
  readonly append: (id: string, key: string) => Promise<unknown>;
}

/** Tables for conversations, as a team writes them for itself. */
export interface HandTables {
  /** What the name of a row ends with. */
  readonly name: string;
  readonly database: string;
  readonly create: (
    owner: string,
    id: string,
    createdMs: number,
    messages: readonly Message[],
  ) => Promise<unknown>;
  readonly appends: readonly HandAppend[];
  /** The newest ten conversations of an owner, each with its latest ten messages. */
  readonly page: (owner: string) => Promise<readonly Conversation[]>;
  /** What reading the latest messages takes. */
  readonly latestNote: string;
  readonly latest: (id: string) => Promise<readonly Message[]>;
  readonly countMessages: (id: string) => Promise<number>;
  readonly remove: (id: string) => Promise<unknown>;
}

const [OWNER, OTHER] = ['a-user', 'another-user'];
const FIRST = Date.UTC(2026, 0, 31);

const idOf = (at: number): string => `conversation-${at}`;

export const byHand = async (tables: HandTables): Promise<Peer> => {
  const { name, database, create, appends, page, latest, latestNote, countMessages, remove } =
    tables;
  await fill((at) => create(OWNER, idOf(at), FIRST + at, entriesOf(at)));
  await create(OTHER, 'long', FIRST, LONG_HISTORY);
  const createdAgain = async (): Promise<number> => {
    await create(OTHER, 'again', FIRST, entriesOf(0).slice(0, 1));
    await create(OTHER, 'again', FIRST, []).catch(() => undefined);
    return countMessages('again');
  };
  const counts = async () => {
    const answered: Count[] = [];
    for (const { name: how, append } of appends) {
      const unique = (id: string) => `${id}, ${how}`;
      const answers = await askAppends({
        create: (id) => create(OTHER, unique(id), FIRST, []),
        append: (id, key) => append(unique(id), key),
        entriesIn: (id) => countMessages(unique(id)),
        remove: (id) => remove(unique(id)),
      });
      answered.push(...answersOf(how, answers));
    }
    return [
      ...answered,
      ...answersOf(`INSERT of a conversation, ${name}, ${database}`, {
        again: await createdAgain(),
      }),
    ];
  };
  return {
    lists: [
      await listing(
        {
          name: `SELECT of a page, ${name}`,
          note: `conversations of ${ENTRIES} messages, each with its latest ${LATEST}; no total, no status, no time limit`,
          beside: pageOf(1),
        },
        () => page(OWNER),
        (found) => {
          const newest = upTo(PAGE).map((at) => ({
            id: idOf(SESSIONS - 1 - at),
            messages: entriesOf(SESSIONS - 1 - at),
          }));
          expect(
            JSON.stringify(found) === JSON.stringify(newest),
            'the newest conversations with their messages',
          );
        },
      ),
    ],
    appends: appends.map(({ name: how, note, append }) =>
      appending(
        { name: how, note },
        (at) => append(idOf(at), randomUUID()),
        (at) => countMessages(idOf(at)),
      ),
    ),
    gets: [
      getting(
        {
          name: `SELECT of the latest, ${name}`,
          note: `a conversation of ${LONG} messages; ${latestNote}`,
        },
        async () => (await latest('long')).map(({ content }) => content),
      ),
    ],
    counts,
    close: async () => undefined,
  };
};

/* What the rows of both databases say. */

export const notes = {
  unlocked:
    'reads the row, adds to its text and writes it; of concurrent changes the last is left; no status, no numbers of changes',
  locked:
    'the same in a transaction that locks the row; keeps all; no status, no numbers of changes',
  insert:
    'keeps all; the foreign key checks that the conversation exists; no status, no numbers of changes, repeated ones stay',
  named:
    'the same, and each message has an id that is unique in its conversation: a repeated one is stored once; no status, no numbers of changes',
  wholeText: 'reads and parses the whole text',
  index: 'by an index',
} as const;

export const names = {
  json: 'a JSON column by hand',
  messages: 'a table of messages by hand',
} as const;
