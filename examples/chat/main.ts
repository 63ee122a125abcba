// A chat in a page with `useChat` of the Vercel AI SDK, whose messages are kept in a Colloquy session. Only the model is
// scripted: it needs no network and no key.
import { serve } from '@hono/node-server';
import { SessionService } from 'colloquy';
import { MemorySessionStore } from 'colloquy/memory';
import { chatApp } from './chat-app.js';
import { scriptedModel } from './scripted-model.js';

// The chats last as long as this process. With another store, as long as that.
const sessions = new SessionService({ store: new MemorySessionStore(), tenant: 'acme' });
const model = scriptedModel(['What a good question.', 'Let me think about that.', 'I would rather talk about cats.']);
const { fetch } = await chatApp(sessions, model);

const server = serve({ fetch, port: Number(process.env['PORT'] ?? 3000), hostname: '127.0.0.1' }, ({ port }) =>
  console.log(`http://127.0.0.1:${port}`),
);

const stop = () => {
  server.close(() => console.log('stopped'));
};
process.once('SIGINT', stop).once('SIGTERM', stop);
