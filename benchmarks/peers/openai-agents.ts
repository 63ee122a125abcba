import { type AgentInputItem, MemorySession } from '@openai/agents';
import type { Count } from '../subjects/suite.js';
import {
  appending,
  ENTRIES,
  entriesOf,
  fill,
  getting,
  LATEST,
  LONG,
  LONG_HISTORY,
  type Peer,
  SAID,
} from './peer.js';
import { answersOf, together } from './questions.js';

const NAME = '@openai/agents MemorySession';

const itemOf = ({
  role,
  content,
}: {
  readonly role: string;
  readonly content: string;
}): AgentInputItem =>
  role === 'user'
    ? { role: 'user', content }
    : { role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: content }] };

const textOf = (item: AgentInputItem): unknown => {
  if (!('content' in item) || item.content === undefined) return undefined;
  const [first] = typeof item.content === 'string' ? [] : item.content;
  return typeof first === 'object' && 'text' in first ? first.text : item.content;
};

const lengthOf = async (session: MemorySession): Promise<number> =>
  (await session.getItems()).length;

const keptTogether = async (): Promise<number> => {
  const session = new MemorySession();
  await together(async () => {
    await session.getItems();
    await session.addItems([itemOf(SAID)]);
  });
  return lengthOf(session);
};

const storedTwice = async (add: (session: MemorySession) => Promise<void>): Promise<number> => {
  const session = new MemorySession();
  await add(session);
  await add(session);
  return lengthOf(session);
};

const counts = async (): Promise<readonly Count[]> => [
  ...answersOf(`${NAME} getItems and addItems`, {
    together: await keptTogether(),
    twice: await storedTwice((session) => session.addItems([itemOf(SAID)])),
  }),
  ...answersOf(`${NAME} applyHistoryTransaction with an operationId`, {
    twice: await storedTwice((session) =>
      session.applyHistoryTransaction({
        operationId: 'the-same',
        transaction: { type: 'append_items', items: [itemOf(SAID)] },
      }),
    ),
  }),
];

/** Sessions as objects: there is no store that keeps, lists or deletes them. */
export const openAiAgents = async (): Promise<Peer> => {
  const sessions: MemorySession[] = [];
  await fill(async (at) => {
    sessions[at] = new MemorySession({
      sessionId: `session-${at}`,
      initialItems: entriesOf(at).map(itemOf),
    });
  });
  const sessionAt = (at: number): MemorySession => sessions[at] ?? new MemorySession();
  const long = new MemorySession({ initialItems: LONG_HISTORY.map(itemOf) });
  return {
    lists: [],
    appends: [
      appending(
        {
          name: `${NAME} addItems`,
          note: `sessions with ${ENTRIES} items each, which the caller holds as objects; no status, no time limit, no times of entries; copies the array`,
        },
        (at) => sessionAt(at).addItems([itemOf(SAID)]),
        (at) => lengthOf(sessionAt(at)),
      ),
    ],
    gets: [
      getting(
        {
          name: `${NAME} getItems`,
          note: `a session of ${LONG} items, held as an object; no status, no time limit`,
        },
        async () => (await long.getItems(LATEST)).map(textOf),
      ),
    ],
    counts,
    close: async () => undefined,
  };
};
