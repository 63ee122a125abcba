import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { type PostgresPool, PostgresSessionStore } from '../../adapters/postgres/index.js';
import { RedisSessionStore } from '../../adapters/redis/index.js';
import { type SqliteDatabase, SqliteSessionStore } from '../../adapters/sqlite/index.js';
import { createSessionHandler } from '../../src/http/index.js';
import { SessionService } from '../../src/index.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { request } from '../http/handler-harness.js';
import { intercepting } from '../support/intercepting-client.js';
import { ManualClock } from '../support/manual-clock.js';
import { PATIENT_MS } from '../support/patience.js';
import { openPool, postgresSchemas } from '../support/postgres-schema.js';
import { openClient } from '../support/redis-clients.js';
import { type Requirement, reasonToSkip, requirements } from '../support/requirements.js';
import { ada, okOf } from '../support/sessions.js';
import { openLibsql } from '../support/sqlite-file.js';

type Note = (command: string) => void;

const onRedis = async (note: Note): Promise<SessionStore> => {
  const client = intercepting(
    openClient('ioredis 5', { port: inject('redis')?.port ?? 0 }),
    (name, _, run) => {
      note(name);
      return run();
    },
  );
  const prefix = `round-trips-${process.pid}`;
  return new RedisSessionStore({
    client,
    prefix,
    events: true,
    reportEnds: true,
  });
};

const onSqlite = async (note: Note): Promise<SessionStore> => {
  const database = openLibsql(':memory:');
  onTestFinished(() => void database.close());
  const counted: SqliteDatabase = {
    exec: (sql) => {
      note(sql);
      return database.exec(sql);
    },
    prepare: (sql) => {
      const statement = database.prepare(sql);
      const noted =
        <T>(run: (...values: (string | number)[]) => T) =>
        (...values: (string | number)[]) => {
          note(sql);
          return run(...values);
        };
      return {
        all: noted((...values) => statement.all(...values)),
        get: noted((...values) => statement.get(...values)),
        run: noted((...values) => statement.run(...values)),
      };
    },
  };
  const store = new SqliteSessionStore({ database: counted, events: true, reportEnds: true });
  (await store.migrate())._unsafeUnwrap();
  return store;
};

const onPostgres = async (note: Note): Promise<SessionStore> => {
  const pool = openPool({ url: inject('postgres')?.url ?? '' }, { max: 2 });
  const settings = { events: true, reportEnds: true };
  const { schema, close } = await postgresSchemas(pool).open(settings);
  onTestFinished(async () => {
    await close();
    await pool.end();
  });
  const counted: PostgresPool = {
    connect: async () => {
      const client = await pool.connect();
      return {
        query: (text, values) => {
          // The store publishes events in the background, in groups that span operations.
          if (!text.includes('.publish(')) note(text);
          return client.query(text, values === undefined ? undefined : [...values]);
        },
        release: (destroy) => client.release(destroy),
      };
    },
  };
  return new PostgresSessionStore({ pool: counted, schema, timeoutMs: PATIENT_MS, ...settings });
};

/** Commands on Redis, statements on SQLite and statements on PostgreSQL, by operation. */
const numbers = {
  create: [1, 10, 1],
  'create with an opening': [1, 13, 1],
  start: [2, 9, 2],
  append: [1, 7, 1],
  'append by name': [1, 9, 1],
  'append again by name': [1, 4, 1],
  'create a fork': [2, 17, 2],
  get: [1, 3, 1],
  'get without the history': [1, 3, 1],
  'get with the latest entries': [1, 3, 1],
  'get with a maximum': [1, 3, 1],
  'get the end with a maximum': [1, 3, 1],
  'get over HTTP': [1, 3, 1],
  'list over HTTP': [2, 5, 1],
  history: [1, 5, 1],
  list: [2, 5, 1],
  'list without histories': [1, 5, 1],
  'list by status': [2, 5, 1],
  'list by label': [2, 5, 1],
  'search by labels': [4, 6, 2],
  'create with wake': [1, 8, 1],
  send: [1, 8, 1],
  wake: [2, 9, 2],
  claim: [2, 12, 2],
  'claim of nothing': [1, 4, 1],
  'release a claim': [2, 9, 2],
  pause: [2, 9, 2],
  resume: [2, 9, 2],
  extend: [2, 9, 2],
  update: [2, 11, 2],
  lease: [2, 9, 2],
  renew: [2, 7, 2],
  release: [2, 9, 2],
  rewind: [2, 12, 2],
  'get after a rewind': [1, 3, 1],
  redact: [1, 8, 1],
  terminate: [2, 9, 2],
  delete: [3, 14, 2],
  'get what is not there': [2, 3, 1],
  'sweep of nothing': [1, 3, 1],
} as const;

const numbersOf = (at: 0 | 1 | 2): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(numbers).map(([name, each]) => [name, each[at]]));

interface Counted {
  readonly name: string;
  readonly requirement?: Requirement;
  readonly open: (note: Note) => Promise<SessionStore>;
  readonly expected: Readonly<Record<string, number>>;
}

const stores: readonly Counted[] = [
  { name: 'Redis', requirement: requirements.redis, open: onRedis, expected: numbersOf(0) },
  { name: 'SQLite', open: onSqlite, expected: numbersOf(1) },
  {
    name: 'PostgreSQL',
    requirement: requirements.postgres,
    open: onPostgres,
    expected: numbersOf(2),
  },
];

const said = [{ role: 'user', content: 'hello' }];
const label = { user: 'u-1', channel: 'web' };

const getOverHttp = async (sessions: SessionService, path: string): Promise<void> => {
  const handler = createSessionHandler({ sessions, authenticate: () => 'default' });
  expect((await handler(request('GET', path)))?.status).toBe(200);
};

/** Runs each operation by a service that has not seen the session. */
const live = async (
  service: () => SessionService,
  run: <T>(name: string, operation: (sessions: SessionService) => Promise<T>) => Promise<T>,
): Promise<void> => {
  const { id } = await run('create', (sessions) =>
    okOf(sessions.create({ ...ada, labels: label })),
  );
  const opening = { ...ada, start: true, entries: said };
  await run('create with an opening', (sessions) => okOf(sessions.create(opening)));
  await run('start', (sessions) => okOf(sessions.start(id)));
  await run('append', (sessions) => okOf(sessions.append(id, said)));
  await run('append by name', (sessions) => okOf(sessions.append(id, said, { operationId: 'op' })));
  await run('append again by name', (sessions) =>
    okOf(sessions.append(id, said, { operationId: 'op' })),
  );
  await run('create a fork', (sessions) => okOf(sessions.create({ ...ada, from: { id } })));
  await run('get', (sessions) => okOf(sessions.get(id)));
  await run('get without the history', (sessions) => okOf(sessions.get(id, { historyLimit: 0 })));
  await run('get with the latest entries', (sessions) =>
    okOf(sessions.get(id, { historyLimit: 1 })),
  );
  await run('get with a maximum', (sessions) => okOf(sessions.get(id, { maxBytes: 60_000 })));
  await run('get the end with a maximum', (sessions) =>
    okOf(sessions.get(id, { maxBytes: 60_000, historyLimit: 1 })),
  );
  await run('get over HTTP', (sessions) => getOverHttp(sessions, `/session/${id}`));
  await run('list over HTTP', (sessions) => getOverHttp(sessions, '/sessions'));
  const { position } = await run('history', (sessions) =>
    okOf(sessions.history(id, { after: 0, limit: 1 })),
  );
  await run('list', (sessions) => okOf(sessions.list()));
  await run('list without histories', (sessions) => okOf(sessions.list({ historyLimit: 0 })));
  await run('list by status', (sessions) => okOf(sessions.list({ status: 'ACTIVE' })));
  await run('list by label', (sessions) => okOf(sessions.list({ labels: { user: 'u-1' } })));
  await run('search by labels', (sessions) =>
    okOf(sessions.list({ labels: label, order: 'updated' })),
  );
  await run('create with wake', (sessions) => okOf(sessions.create({ ...ada, wake: true })));
  const worker = { holder: 'worker', seconds: 10 };
  const { claimed } = await run('claim', (sessions) => okOf(sessions.claim(worker)));
  await run('claim of nothing', (sessions) => okOf(sessions.claim(worker)));
  for (const { session, lease } of claimed) {
    const { fencingToken } = lease;
    await run('release a claim', (sessions) =>
      okOf(sessions.release(session.id, { fencingToken, done: true })),
    );
    await run('send', (sessions) => okOf(sessions.send(id, 'Hello!')));
    await run('wake', (sessions) => okOf(sessions.wake(session.id)));
    await okOf(service().delete(session.id));
  }
  await run('pause', (sessions) => okOf(sessions.pause(id)));
  await run('resume', (sessions) => okOf(sessions.resume(id)));
  await run('extend', (sessions) => okOf(sessions.extend(id, { timeLimit: 900 })));
  await run('update', (sessions) => okOf(sessions.update(id, { labels: { user: 'u-2' } })));
  const { fencingToken } = await run('lease', (sessions) =>
    okOf(sessions.lease(id, { holder: 'worker', seconds: 10 })),
  );
  await run('renew', (sessions) => okOf(sessions.renew(id, { fencingToken, seconds: 20 })));
  await run('release', (sessions) => okOf(sessions.release(id, { fencingToken })));
  const { position: end } = await okOf(service().history(id, { last: 1 }));
  await run('rewind', (sessions) =>
    okOf(sessions.rewind(id, { to: position, entries: said, ifPosition: end })),
  );
  await run('get after a rewind', (sessions) => okOf(sessions.get(id)));
  await run('redact', (sessions) => okOf(sessions.redact(id, [position])));
  await run('terminate', (sessions) => okOf(sessions.terminate(id)));
  await run('delete', (sessions) => okOf(sessions.delete(id)));
  await run('get what is not there', async (sessions) => (await sessions.get(id)).isErr());
  await okOf(service().sweep(100, { onEnded: () => undefined }));
  await run('sweep of nothing', (sessions) =>
    okOf(sessions.sweep(100, { onEnded: () => undefined })),
  );
};

describe.each(stores)(
  'the round trips of each operation on $name',
  ({ requirement, open, expected }) => {
    if (requirement?.isMet() === false) {
      test.skip(reasonToSkip(requirement));
      return;
    }

    test('are as few as recorded here', async () => {
      const sent: string[] = [];
      const store = await open((command) => sent.push(command));
      const clock = new ManualClock();
      const service = () => new SessionService({ store, clock });
      const counts: Record<string, number> = {};
      // In the first round, the server loads the scripts and the store reads its settings.
      for (let round = 1; round <= 2; round += 1) {
        await live(service, async (operation, run) => {
          sent.length = 0;
          const value = await run(service());
          counts[operation] = sent.length;
          return value;
        });
      }
      expect(counts).toEqual(expected);
    });
  },
);
