import { type CheckpointTuple, emptyCheckpoint, uuid6 } from '@langchain/langgraph-checkpoint';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import { expect } from '../subjects/suite.js';
import { ENTRIES, entriesOf, fill, listing, PAGE, type Peer } from './peer.js';

/** A thread as a graph leaves it after one step: one checkpoint with the messages in one channel. */
const write = async (saver: PostgresSaver, at: number): Promise<void> => {
  const channels = { messages: entriesOf(at) };
  const versions = { messages: 1 };
  const checkpoint = { ...emptyCheckpoint(), id: uuid6(at), channel_values: channels, channel_versions: versions };
  const config = { configurable: { thread_id: `thread-${at}`, checkpoint_ns: '' } };
  await saver.put(config, checkpoint, { source: 'loop', step: 1, parents: {} }, versions);
};

/** The newest checkpoints of all threads: with one checkpoint a thread, these are the newest threads. */
export const langGraph = async (url: string): Promise<Peer> => {
  const saver = PostgresSaver.fromConnString(url);
  await saver.setup();
  await fill((at) => write(saver, at));
  const list = async (): Promise<readonly CheckpointTuple[]> => {
    const found: CheckpointTuple[] = [];
    for await (const tuple of saver.list({ configurable: {} }, { limit: PAGE })) found.push(tuple);
    return found;
  };
  return {
    subjects: [
      await listing(
        '@langchain/langgraph-checkpoint-postgres list',
        `threads with one checkpoint of ${ENTRIES} messages each; a list of checkpoints, not of threads: no total, no page by number, no status; sorts all checkpoints`,
        list,
        (page) =>
          expect(
            page.length === PAGE && page.every(({ checkpoint }) => 'messages' in (checkpoint.channel_values ?? {})),
            'ten whole checkpoints',
          ),
      ),
    ],
    counts: async () => [],
    close: () => saver.end(),
  };
};
