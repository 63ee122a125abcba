import type { ResultAsync } from 'neverthrow';
import { Client } from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { PostgresSessionStore } from '../../../adapters/postgres/index.js';
import { type SessionError, type SessionEvent, SessionService } from '../../../src/index.js';
import { idOfIdempotencyKey } from '../../../src/session/ids.js';
import { answerOf } from '../../../src/testing/answers.js';
import { upTo } from '../../../src/testing/samples.js';
import { describeWithPostgres } from '../../support/describe-with-postgres.js';
import { PATIENT_MS } from '../../support/patience.js';
import type { PostgresAddress } from '../../support/postgres-server.js';
import { ada, errorOf, okOf } from '../../support/sessions.js';
import { type PostgresDatabase, postgresClientNames } from '../databases/database.js';
import { effort, record } from '../support/effort.js';
import { ask } from './mortal-server.js';
import { behindProxy, emptySchema, openAnyHost, openHost } from './on-shared-server.js';

const PROMISE = 'PostgreSQL: a lost connection does no harm';
const ROUNDS = effort(1, 25);
const LISTENERS = effort(1, 25);

const unknown = { type: 'store_unavailable', outcome: 'unknown' };
const notApplied = { type: 'store_unavailable', outcome: 'not_applied' };
const hi = [{ role: 'user', content: 'hi' }];

const IS_WAITING =
  "wait_event_type = 'Lock' AND query LIKE '%commit_all%' AND pid <> pg_backend_pid()";
const WAITS = `EXISTS (SELECT FROM pg_stat_activity WHERE ${IS_WAITING})`;
const IS_LISTENING = (schema: string) =>
  `query LIKE '%"colloquy_${schema}"' AND pid <> pg_backend_pid()`;
const LISTENS = (schema: string) =>
  `EXISTS (SELECT FROM pg_stat_activity WHERE ${IS_LISTENING(schema)})`;

/** Waits until the database says so. */
const until = async ({ url }: PostgresDatabase, query: string): Promise<void> => {
  for (let isSo: unknown = false; isSo !== true; )
    [{ is_so: isSo } = { is_so: false }] = await ask(url, `SELECT (${query}) AS is_so`);
};

/** Holds the locks of a query until the returned function is called. */
const lock = async ({ url }: PostgresDatabase, query: string): Promise<() => Promise<void>> => {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  let isHeld = true;
  const unlock = async () => {
    if (isHeld) await client.end();
    isHeld = false;
  };
  onTestFinished(unlock);
  await client.query('BEGIN');
  await client.query(query);
  return unlock;
};

/** All that the log has by now. */
const toldBy = async (store: PostgresSessionStore): Promise<readonly SessionEvent[]> => {
  const { events } = store;
  if (events === undefined) throw new Error('the store has no events');
  return (await answerOf(events.read(events.streamOf('default'), '0', 1000))).events;
};

const numbersOf = (told: readonly SessionEvent[]): readonly number[] =>
  told.map(({ sequence }) => sequence);

/** What a host does with each client. */
const describeWithClients = (
  name: string,
  define: (server: PostgresAddress, empty: () => Promise<PostgresDatabase>) => void,
): void =>
  describeWithPostgres(name, (server) => {
    describe.each(postgresClientNames)('with %s', (client) => {
      define(server, async () => ({ ...(await emptySchema(server)), client }));
    });
  });

describeWithClients('a connection to PostgreSQL', (server, empty) => {
  it('leaves the outcome unknown if it loses a reply, and a repeated call has no second effect', async () => {
    for (let round = 1; round <= ROUNDS; round += 1) {
      const { proxy, database } = await behindProxy(await empty(), server);
      const { sessions, store } = openAnyHost(database);
      const { id } = await okOf(sessions.create({ ...ada, idempotencyKey: 'other' }));
      await okOf(sessions.delete(id));
      const own = await idOfIdempotencyKey('default', 'one');
      // By a part of its values: the text of a prepared statement is sent only once.
      const calls: readonly [string, () => ResultAsync<unknown, SessionError>][] = [
        ['"created', () => sessions.create({ ...ada, idempotencyKey: 'one' })],
        ['"ACTIVE', () => sessions.start(own, { operationId: 'start' })],
        ['"content', () => sessions.append(own, hi, { operationId: 'hi' })],
        ['"PAUSED', () => sessions.pause(own, { operationId: 'pause' })],
        ['"content', () => sessions.append(own, hi, { operationId: 'again' })],
        ['"TERMINATED', () => sessions.terminate(own)],
        ['"deleted', () => sessions.delete(own)],
      ];
      for (const [value, call] of calls) {
        const lost = proxy.loseReply(value);
        expect(await errorOf(call()), value).toMatchObject(unknown);
        await lost;
        await okOf(call());
      }
      await okOf(sessions.sweep());
      const told = (await toldBy(store)).filter(({ sessionId }) => sessionId === own);
      expect(numbersOf(told)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    }
    record({ promise: PROMISE, figure: 'replies lost; each call was repeated', value: ROUNDS * 7 });
  });

  it('applies the change later if it is cut while the server waits to write, and a repeated call adds nothing', async () => {
    const direct = await empty();
    const { proxy, database } = await behindProxy(direct, server);
    const { sessions } = openAnyHost(database);
    const { id } = await okOf(sessions.create(ada));
    await okOf(sessions.start(id));
    const unlock = await lock(direct, `SELECT FROM "${direct.schema}".sessions FOR UPDATE`);
    const appended = sessions.append(id, hi, { operationId: 'hi' });
    await until(direct, WAITS);
    proxy.speak();
    expect(await errorOf(appended)).toMatchObject(unknown);
    await unlock();
    // The server has not noticed that nobody waits for its answer.
    await until(direct, `(SELECT entries FROM "${direct.schema}".sessions) = 1`);
    await okOf(sessions.append(id, hi, { operationId: 'hi' }));
    expect((await okOf(sessions.get(id))).historyCount).toBe(1);
  });

  it('rolls a change back if the server ends the connection in the middle', async () => {
    const database = await empty();
    const { sessions } = openAnyHost(database);
    const { id } = await okOf(sessions.create(ada));
    await okOf(sessions.start(id));
    const unlock = await lock(database, `SELECT FROM "${database.schema}".sessions FOR UPDATE`);
    const appended = sessions.append(id, hi, { operationId: 'hi' });
    await until(database, WAITS);
    await ask(
      server.url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${IS_WAITING}`,
    );
    expect(await errorOf(appended)).toMatchObject(unknown);
    await unlock();
    expect((await okOf(sessions.get(id))).historyCount).toBe(0);
    await okOf(sessions.append(id, hi, { operationId: 'hi' }));
    expect((await okOf(sessions.get(id))).historyCount).toBe(1);
  });
});

describeWithPostgres('a connection to PostgreSQL with a bound of the host', (server) => {
  it('keeps the change, publishes later and stays usable if it fails to publish an event', async () => {
    const database = await emptySchema(server);
    const { sessions, store } = openHost(database, {
      max: 1,
      options: '-c statement_timeout=2000',
    });
    const { id } = await okOf(sessions.create(ada));
    const unlock = await lock(
      database,
      `LOCK TABLE "${database.schema}".events IN ACCESS EXCLUSIVE MODE`,
    );
    await okOf(sessions.start(id));
    await okOf(sessions.append(id, hi));
    expect((await okOf(sessions.get(id))).historyCount).toBe(1);
    await unlock();
    await okOf(sessions.pause(id));
    expect(numbersOf(await toldBy(store))).toEqual([1, 2, 3, 4]);
  });
});

describeWithPostgres('an exhausted PostgreSQL connection pool', (server) => {
  it.each([
    ['the pool gives up', 50, {}],
    ['the store gives up, though the pool waits for ever', 0, { timeoutMs: 50 }],
  ])('fails every call in time, with nothing applied: %s', async (_, poolTimeoutMs, options) => {
    const database = await emptySchema(server);
    const { sessions, pool } = openHost(database, { max: 1 });
    const { id } = await okOf(sessions.create(ada));
    const taken = await pool.connect();
    pool.options.connectionTimeoutMillis = poolTimeoutMs;
    const { schema } = database;
    const refused = new SessionService({
      store: new PostgresSessionStore({ pool, schema, events: true, ...options }),
    });
    const calls = [
      refused.create(ada),
      refused.start(id),
      refused.delete(id),
      refused.get(id),
      refused.list(),
    ];
    for (const call of calls) expect(await errorOf<SessionError>(call)).toMatchObject(notApplied);
    taken.release();
    // The host has stopped waiting for the connection, so nothing holds it.
    expect(await okOf(sessions.get(id))).toMatchObject({ status: 'IDLE' });
    expect((await okOf(sessions.list())).total).toBe(1);
    expect(pool.waitingCount).toBe(0);
  });
});

describeWithClients('the LISTEN connection', (server, empty) => {
  it('may be ended repeatedly, and a watch still yields every event once and in order', async () => {
    const database = await empty();
    const writing = openAnyHost(database).sessions;
    const { id } = await okOf(writing.create(ada));
    await okOf(writing.start(id));
    const end = new AbortController();
    let opened = 0;
    const numbers: number[] = [];
    const reached = new Map<number, () => void>();
    const watching = (async () => {
      const options = { signal: end.signal, onOpen: () => (opened += 1) };
      for await (const item of openAnyHost(database).sessions.watchAll(options)) {
        const change = item._unsafeUnwrap();
        // What came directly before the call may be told too.
        if (change.type !== 'events_lost' && change.sequence < 3) continue;
        numbers.push(change.type === 'events_lost' ? 0 : change.sequence);
        reached.get(numbers.length)?.();
      }
    })();
    await vi.waitUntil(() => opened === 1, { timeout: PATIENT_MS });
    for (let count = 1; count <= LISTENERS; count += 1) {
      await until(database, LISTENS(database.schema));
      const told = new Promise<void>((resolve) => reached.set(2 * count, resolve));
      await okOf(writing.append(id, hi));
      await ask(
        server.url,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${IS_LISTENING(database.schema)}`,
      );
      await okOf(writing.append(id, hi));
      await told;
    }
    end.abort();
    await watching;
    record({ promise: PROMISE, figure: 'listening connections ended', value: LISTENERS });
    expect(numbers).toEqual(upTo(2 * LISTENERS).map((at) => at + 3));
  });
});
