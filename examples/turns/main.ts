// A chat server, whose model is scripted: it needs no network and no key.
import { SessionService } from 'colloquy';
import { MemorySessionStore } from 'colloquy/memory';
import { scriptedModel } from '../chat/scripted-model.js';
import { chatServer } from './chat-server.js';

const sessions = new SessionService({ store: new MemorySessionStore({ events: true }) });
const model = scriptedModel(['What a good question.', 'Let me think about that.']);
const { worker, server } = chatServer(sessions, model);
worker.start();
server.listen(Number(process.env['PORT'] ?? 3000), '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') console.log(`http://127.0.0.1:${address?.port}`);
});

const stop = async () => {
  server.close(() => console.log('stopped'));
  server.closeAllConnections();
  await worker.stop(); // when its answers are given
};
process.once('SIGINT', stop).once('SIGTERM', stop);
