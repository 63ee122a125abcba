import { randomUUID } from 'node:crypto';
import type { BaseMessageLike } from '@langchain/core/messages';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres';
import type { Subject } from '../harness/index.js';
import type { Count } from '../subjects/suite.js';
import { appending, entriesOf, fill, SAID } from './peer.js';
import { answersOf, askAppends } from './questions.js';

const NAME = '@langchain/langgraph invoke';

const configOf = (thread_id: string) => ({ configurable: { thread_id } });

const idOf = (at: number): string => `thread-${at}`;

/** A graph of one node that says nothing, with LangGraph's own reducer of messages. */
const graphOf = (checkpointer: PostgresSaver) =>
  new StateGraph(MessagesAnnotation)
    .addNode('listen', () => ({}))
    .addEdge(START, 'listen')
    .addEdge('listen', END)
    .compile({ checkpointer });

/** When checkpoints are written: after each step, which is the default, or once at the end. */
type Durability = 'async' | 'exit';

const threadsOf = (saver: PostgresSaver) => {
  const graph = graphOf(saver);
  const add = (id: string, messages: readonly BaseMessageLike[], durability: Durability) =>
    graph.invoke({ messages: [...messages] }, { ...configOf(id), durability });
  const append = (id: string, key: string, durability: Durability) =>
    add(id, [{ ...SAID, id: key }], durability);
  const entriesIn = async (id: string): Promise<number> =>
    (await graph.getState(configOf(id))).values.messages?.length ?? 0;
  return { add, append, entriesIn };
};

export interface Graph {
  readonly appends: readonly Subject[];
  readonly counts: () => Promise<readonly Count[]>;
  readonly close: () => Promise<void>;
}

/** In a schema of its own, so that its checkpoints are not among those that are listed. */
export const langGraphGraph = async (url: string): Promise<Graph> => {
  const saver = PostgresSaver.fromConnString(url, { schema: 'graph' });
  await saver.setup();
  const { add, append, entriesIn } = threadsOf(saver);
  await fill((at) => add(idOf(at), entriesOf(at), 'exit'), 10);
  const row = (durability: Durability, note: string) =>
    appending(
      { name: durability === 'exit' ? `${NAME}, durability: 'exit'` : NAME, note },
      (at) => append(idOf(at), randomUUID(), durability),
      (at) => entriesIn(idOf(at)),
    );
  return {
    appends: [
      row('async', 'a graph of one node and the messages reducer; a checkpoint for each step'),
      row('exit', 'the same, one checkpoint for each run'),
    ],
    counts: async () =>
      answersOf(
        NAME,
        await askAppends({
          create: (id) => add(id, [], 'async'),
          append: (id, key) => append(id, key, 'async'),
          entriesIn,
          remove: (id) => saver.deleteThread(id),
        }),
      ),
    close: () => saver.end(),
  };
};
