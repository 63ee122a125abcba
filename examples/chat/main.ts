// A chat in a page with `useChat` of the Vercel AI SDK, whose messages are kept in a Colloquy
// session. Only the model is scripted: it needs no network and no key.
import { serve } from '@hono/node-server';
import { SessionService } from 'colloquy';
import { MemorySessionStore } from 'colloquy/memory';
import { Answers } from './answers.js';
import { chatApp } from './chat-app.js';
import { chatWorker } from './chat-worker.js';
import { scriptedModel } from './scripted-model.js';

// The chats last as long as this process. With another store, as long as that.
const sessions = new SessionService({
  store: new MemorySessionStore({ events: true }),
  tenant: 'acme',
});
const model = scriptedModel([
  'What a good question.',
  'Let me think about that.',
  'I would rather talk about cats.',
]);
const answers = new Answers();
const { fetch } = await chatApp(sessions, answers);
const worker = chatWorker(sessions, model, answers);
worker.start();

const server = serve(
  { fetch, port: Number(process.env['PORT'] ?? 3000), hostname: '127.0.0.1' },
  ({ port }) => console.log(`http://127.0.0.1:${port}`),
);

const stop = async () => {
  server.close(() => console.log('stopped'));
  await worker.stop(); // when its answers are given
};
process.once('SIGINT', stop).once('SIGTERM', stop);
