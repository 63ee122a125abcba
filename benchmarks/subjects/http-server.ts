import { createServer, type RequestListener } from 'node:http';
import { Redis } from 'ioredis';
import {
  createSessionHandler,
  MemorySessionStore,
  nodeListener,
  RedisSessionStore,
  SessionService,
  staticApiKeys,
} from '../colloquy.js';
import { seedSessions } from '../seed.js';
import { API_KEY, SERVED_SESSIONS } from './suite.js';

/**
 * A server in a process of its own: `http-server.js ROLE [REDIS URL]`. It tells its port, then answers every message
 * with the CPU time that it has used, in microseconds.
 */

const engine = async (store: MemorySessionStore | RedisSessionStore): Promise<RequestListener> => {
  const sessions = new SessionService({ store });
  await seedSessions(sessions, SERVED_SESSIONS, 10);
  return nodeListener(
    createSessionHandler({ sessions, authenticate: staticApiKeys([{ key: API_KEY, tenant: 'default' }]) }),
  );
};

/** What it was sent at start: the answer to repeat, with the very same headers. */
interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const repeating = ({ status, headers, body }: Answer): RequestListener => {
  const all = { ...headers, 'Content-Length': Buffer.byteLength(body) };
  return (_, response) => {
    response.writeHead(status, all).end(body);
  };
};

/** Gets the joined page from Redis and passes it on unparsed. */
const passingOn = ({ headers }: Answer, redis: Redis): RequestListener => {
  return (_, response) => {
    void redis.get('joined-page').then((body) => {
      const text = body ?? '';
      response.writeHead(200, { ...headers, 'Content-Length': Buffer.byteLength(text) }).end(text);
    });
  };
};

const [role = '', redisUrl = '', answerJson = '{}'] = process.argv.slice(2);
const answer: Answer = JSON.parse(answerJson);

const listenerOf = async (): Promise<RequestListener> => {
  switch (role) {
    case 'engine-memory':
      return engine(new MemorySessionStore());
    case 'engine-redis':
      return engine(new RedisSessionStore({ client: new Redis(redisUrl) }));
    case 'pass-on':
      return passingOn(answer, new Redis(redisUrl));
    default:
      return repeating(answer);
  }
};

const server = createServer(await listenerOf());
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' ? address?.port : undefined });
});
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuUs: user + system });
});
process.on('disconnect', () => process.exit(0));
