import { type CheckpointTuple, emptyCheckpoint, uuid6 } from '@langchain/langgraph-checkpoint';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { type Count, expect } from '../subjects/suite.js';
import { pageOf } from './engine.js';
import { langGraphGraph } from './langgraph-graph.js';
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
  SAID,
} from './peer.js';
import { answersOf, askAppends } from './questions.js';

const NAME = '@langchain/langgraph-checkpoint-postgres';

interface Message {
  readonly role: string;
  readonly content: string;
}

const configOf = (thread_id: string) => ({ configurable: { thread_id, checkpoint_ns: '' } });

const idOf = (at: number): string => `thread-${at}`;

/** A thread as a graph leaves it after a step: a checkpoint with all messages in one channel. */
const write = async (
  saver: PostgresSaver,
  id: string,
  messages: readonly Message[],
  step = 1,
): Promise<void> => {
  const versions = { messages: step };
  const channels = { channel_values: { messages }, channel_versions: versions };
  const checkpoint = { ...emptyCheckpoint(), id: uuid6(step), ...channels };
  await saver.put(configOf(id), checkpoint, { source: 'loop', step, parents: {} }, versions);
};

/** What the newest checkpoint of a thread holds. */
const read = async (saver: PostgresSaver, id: string) => {
  const { checkpoint, metadata } = (await saver.getTuple(configOf(id))) ?? {};
  const messages: readonly Message[] = Object(checkpoint?.channel_values)['messages'] ?? [];
  return { messages, step: metadata?.step ?? 0 };
};

/** As a step of a graph does it: reads the newest checkpoint, and writes the next one. */
const append = async (saver: PostgresSaver, id: string): Promise<void> => {
  const { messages, step } = await read(saver, id);
  await write(saver, id, [...messages, SAID], step + 1);
};

const countsOf = async (saver: PostgresSaver): Promise<readonly Count[]> =>
  answersOf(
    `${NAME} getTuple and put`,
    await askAppends({
      create: (id) => write(saver, id, []),
      append: (id) => append(saver, id),
      entriesIn: async (id) => (await read(saver, id)).messages.length,
      remove: (id) => saver.deleteThread(id),
    }),
  );

/**
 * The newest checkpoints of all threads: with one checkpoint a thread, these are the newest
 * threads.
 */
export const langGraph = async (url: string): Promise<Peer> => {
  const saver = PostgresSaver.fromConnString(url);
  await saver.setup();
  await fill((at) => write(saver, idOf(at), entriesOf(at)));
  const graph = await langGraphGraph(url);
  const list = async (): Promise<readonly CheckpointTuple[]> => {
    const found: CheckpointTuple[] = [];
    for await (const tuple of saver.list({ configurable: {} }, { limit: PAGE })) found.push(tuple);
    return found;
  };
  const long = getting(
    { name: `${NAME} getTuple`, note: `a thread of ${LONG} messages; reads all of them` },
    async () => (await read(saver, 'long')).messages.slice(-LATEST).map(({ content }) => content),
  );
  return {
    lists: [
      await listing(
        {
          name: `${NAME} list`,
          note: `threads with one checkpoint of ${ENTRIES} messages each; a list of checkpoints, not of threads: no total, no page by number, no status; sorts all checkpoints`,
          beside: pageOf(1),
        },
        list,
        (page) =>
          expect(
            page.length === PAGE &&
              page.every(({ checkpoint }) => 'messages' in (checkpoint.channel_values ?? {})),
            'ten whole checkpoints',
          ),
      ),
    ],
    appends: [
      appending(
        {
          name: `${NAME} getTuple and put`,
          note: 'as a step of a graph: reads the newest checkpoint and writes one more with all messages; of concurrent steps one is left',
        },
        (at) => append(saver, idOf(at)),
        async (at) => (await read(saver, idOf(at))).messages.length,
      ),
      ...graph.appends,
    ],
    // Not among the checkpoints that are listed.
    gets: [{ ...long, renew: () => write(saver, 'long', LONG_HISTORY) }],
    counts: async () => [...(await countsOf(saver)), ...(await graph.counts())],
    close: async () => {
      await saver.end();
      await graph.close();
    },
  };
};
