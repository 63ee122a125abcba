// An agent of the OpenAI Agents SDK whose conversation is a Colloquy session. The model is scripted; the agent, its tool, the
// runner and the session are those of a real host. With a Redis, SQLite or PostgreSQL store, any process goes on with the
// conversation, and the inspector shows it.
import { Agent, run, setTracingDisabled, tool } from '@openai/agents';
import { SessionService, unwrap } from 'colloquy';
import { MemorySessionStore } from 'colloquy/memory';
import { z } from 'zod';
import { EngineSession } from './engine-session.js';
import { openConversation } from './open-conversation.js';
import { scriptedModel } from './scripted-model.js';

setTracingDisabled(true); // the SDK sends traces to OpenAI otherwise

const multiply = tool({
  name: 'multiply',
  description: 'Multiplies two numbers.',
  parameters: z.object({ a: z.number(), b: z.number() }),
  execute: async ({ a, b }) => `${a} times ${b} is ${a * b}.`,
});

const tutor = new Agent({
  name: 'Tutor',
  instructions: 'You teach arithmetic.',
  model: scriptedModel,
  tools: [multiply],
});

const sessions = new SessionService({ store: new MemorySessionStore(), tenant: 'acme' });

/** As a worker does that has just started and knows only the name of the conversation. */
const openSession = async (): Promise<EngineSession> => {
  const id = await unwrap(openConversation(sessions, 'user-7'));
  return new EngineSession(sessions, id);
};

const ask = async (question: string): Promise<void> => {
  const { finalOutput } = await run(tutor, question, { session: await openSession() });
  console.log(`user: ${question}\nassistant: ${finalOutput}`);
};

await ask('What is 6 times 7?');
await ask('What have I asked?');

const session = await openSession();
const kindOf = (item: object) => ('role' in item ? item.role : 'type' in item && item.type);
console.log(`items: ${(await session.getItems()).map(kindOf).join(', ')}`);

// The user takes the last question back: its answer goes first, then the question itself.
await session.popItem();
await session.popItem();
console.log(`after two pops: ${(await session.getItems()).length} items`);

await session.clearSession();
await ask('What have I asked?');
