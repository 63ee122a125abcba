import { createServer, type RequestListener } from 'node:http';
import { Redis } from 'ioredis';
import { serviceOf } from '../clock.js';
import {
  createSessionHandler,
  MemorySessionStore,
  nodeListener,
  RedisSessionStore,
  type Session,
  type SessionService,
  staticApiKeys,
} from '../colloquy.js';
import { seedSessions } from '../seed.js';
import { joinedKey, listByHand } from './joined.js';
import { pageText } from './pages.js';
import { fill } from './stores/fill.js';
import { TENANT } from './stores/http.js';
import { comparedStores } from './stores/stores.js';
import { API_KEY, resultOf } from './suite.js';

/**
 * A server in a process of its own: `http-server.js ROLE SESSIONS [ADDRESS] [ANSWER or STORE]`. It
 * tells its port, then answers every message with the CPU time that it has used, in microseconds.
 */

const LIMIT = 10;

const [role = '', sessionsText = '', address = '', last = '{}'] = process.argv.slice(2);
const total = Number(sessionsText);

const seeded = async (store: MemorySessionStore | RedisSessionStore): Promise<SessionService> => {
  const sessions = serviceOf(store);
  await seedSessions(sessions, total, 10);
  return sessions;
};

const serving = (sessions: SessionService, tenant: string): RequestListener =>
  nodeListener(
    createSessionHandler({ sessions, authenticate: staticApiKeys([{ key: API_KEY, tenant }]) }),
  );

const engine = async (store: MemorySessionStore | RedisSessionStore): Promise<RequestListener> =>
  serving(await seeded(store), 'default');

/** One of the compared stores, filled here unless another process has. */
const openStore = async () => {
  const store = comparedStores.find(({ name }) => name === last);
  const database = await store?.open({ sync: 'never', address: address || undefined });
  if (database === undefined) throw new Error(`there is no store ${last}`);
  if (address === '') await fill(database, TENANT, total);
  return database;
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

/**
 * What is written by hand: reads the page's number, and sends what `pageOf` gives with the engine's
 * own headers.
 */
const byHand = (pageOf: (page: number) => string | Promise<string>): RequestListener => {
  const headers = {
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'X-Total-Count': String(total),
  };
  return async (request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
    const text = await pageOf(Number(searchParams.get('page')));
    response.writeHead(200, { ...headers, 'Content-Length': Buffer.byteLength(text) }).end(text);
  };
};

const linkTo = (page: number, relation: string): string =>
  `</sessions?limit=${LIMIT}&page=${page}>; rel="${relation}"`;

/** The links that the engine sends with a page. */
const linksOf = (page: number, last: number): string => {
  const before = page > 1 ? `, ${linkTo(page - 1, 'prev')}` : '';
  const behind = page < last ? `, ${linkTo(page + 1, 'next')}` : '';
  return `${linkTo(1, 'first')}${before}${behind}, ${linkTo(last, 'last')}`;
};

/** A session as the wire has it. */
const onWire = ({ id, status, options, history, createdAt, duration }: Session) => ({
  id,
  status,
  options: {
    face: options.face,
    profile: options.profile,
    context: options.context,
    behavior: options.behavior,
    time_limit: options.timeLimit,
  },
  history,
  created_at: createdAt,
  duration,
});

/**
 * The service that the engine's handler has, without the handler: the same page with the same
 * headers, for anybody.
 */
const listedByHand =
  (sessions: SessionService): RequestListener =>
  async (request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://127.0.0.1');
    const page = Number(searchParams.get('page'));
    const listed = resultOf(await sessions.list({ limit: LIMIT, page }));
    const text = JSON.stringify(listed.sessions.map(onWire));
    response
      .writeHead(200, {
        'Content-Type': 'application/json',
        'Cache-Control': 'no-store',
        'X-Total-Count': String(listed.total),
        Link: linksOf(page, Math.ceil(listed.total / LIMIT)),
        ...(listed.nextCursor !== undefined && { 'X-Next-Cursor': listed.nextCursor }),
        'Content-Length': Buffer.byteLength(text),
      })
      .end(text);
  };

/** All sessions as the wire has them, newest first, in an array. */
const wireSessions = async (): Promise<readonly unknown[]> => {
  const sessions = await seeded(new MemorySessionStore());
  const all: unknown[] = [];
  for await (const session of sessions.each({ limit: 100 })) {
    const [one]: readonly unknown[] = JSON.parse(pageText([resultOf(session)]));
    all.push(one);
  }
  return all;
};

const sliceOf = (all: readonly unknown[], page: number): string =>
  JSON.stringify(all.slice((page - 1) * LIMIT, page * LIMIT));

const listenerOf = async (): Promise<RequestListener> => {
  switch (role) {
    case 'engine-memory':
      return engine(new MemorySessionStore());
    case 'listed-memory':
      return listedByHand(await seeded(new MemorySessionStore()));
    case 'engine-redis':
      return engine(new RedisSessionStore({ client: new Redis(address) }));
    case 'joined-redis': {
      const redis = new Redis(address);
      return byHand(async (page) => (await redis.get(joinedKey(page))) ?? '');
    }
    case 'by-hand-redis': {
      const redis = new Redis(address);
      return byHand(async (page) => JSON.stringify(await listByHand(redis, page, LIMIT)));
    }
    case 'joined-memory': {
      const all = await wireSessions();
      const texts = Array.from({ length: total / LIMIT }, (_, at) => sliceOf(all, at + 1));
      return byHand((page) => texts[page - 1] ?? '');
    }
    case 'by-hand-memory': {
      const all = await wireSessions();
      return byHand((page) => sliceOf(all, page));
    }
    case 'store':
      return serving(serviceOf((await openStore()).open(false)), TENANT);
    case 'store-by-hand': {
      const { byHand: hand } = await openStore();
      return byHand(async (page) =>
        JSON.stringify(await hand.page(TENANT, { skip: (page - 1) * LIMIT }, false)),
      );
    }
    default: {
      const answer: Answer = JSON.parse(last);
      return repeating(answer);
    }
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
