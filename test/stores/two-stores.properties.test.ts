import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { RedisSessionStore } from '../../adapters/redis/index.js';
import { SqliteSessionStore } from '../../adapters/sqlite/index.js';
import { SessionService } from '../../src/service/session-service.js';
import type { SessionEvent } from '../../src/session/session-event.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { moreIfLong } from '../support/continuous-integration.js';
import { describeWithPostgres } from '../support/describe-with-postgres.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { ManualClock } from '../support/manual-clock.js';
import { openPool, postgresSchemas } from '../support/postgres-schema.js';
import { openClient } from '../support/redis-clients.js';
import { missingEntries } from '../support/redis-indexes.js';
import { ada, countingIds } from '../support/sessions.js';
import { openLibsql, sqliteFile } from '../support/sqlite-file.js';
import { withoutRevisions } from '../support/without-revisions.js';
import { type Command, sequences } from './two-stores-commands.js';

/** The services of several processes on one database, their clock, and the results so far. */
class Deployment {
  readonly #clock = new ManualClock();
  readonly #services: readonly SessionService[];
  readonly #store: SessionStore;
  readonly #ids: string[] = [];
  /**
   * Positions and incarnations are opaque: they are replaced by the order in which they first
   * appear.
   */
  readonly #labels = new Map<string, string>();
  readonly #fencingTokens = new Map<string, number>();
  readonly #positions = new Map<string, number>();
  #generation = 0;
  #cursor: string | undefined;
  #turn = 0;

  constructor(stores: readonly [SessionStore, ...SessionStore[]]) {
    [this.#store] = stores;
    const ids = countingIds();
    this.#services = stores.map(
      (store) =>
        new SessionService({ store, clock: this.#clock, ids, idleTimeout: 4, retention: 3 }),
    );
  }

  /** Runs a command on the processes in turn, and returns its result. */
  async run(command: Command): Promise<unknown> {
    if (command.does === 'pass') {
      this.#clock.pass(command.ms);
      return undefined;
    }
    const answer = await this.#answer(command);
    const heard = answer.match<unknown>(
      (value) => value ?? null,
      (error) => ({
        ...error,
        cause: undefined,
        ...(('position' in error || 'fencingToken' in error) && { message: '' }),
      }),
    );
    if (command.does === 'delete' || command.does === 'sweep') {
      // A later session with the same id has other positions.
      this.#generation += 1;
      this.#positions.clear();
    }
    // Fencing tokens are random in part.
    return JSON.parse(JSON.stringify(heard), (key, each) => {
      if (key === 'fencingToken') return 'fencingToken';
      return (key === 'position' || key === 'start') && each !== 0 && 'session' in command
        ? this.#label(`position ${this.#generation} ${this.#idOf(command.session)} ${each}`)
        : each;
    });
  }

  /** Returns the events of all sessions, each once. */
  async told(): Promise<unknown> {
    const log = this.#store.events;
    if (log === undefined) return [];
    const read = await log.read(log.streamOf('default'), '', 100_000);
    const events: readonly SessionEvent[] = read._unsafeUnwrap().events;
    const once = events.filter(({ id }, at) => events.findIndex((event) => event.id === id) === at);
    const bySession = once.toSorted((a, b) => (a.sessionId < b.sessionId ? -1 : 1));
    return bySession.map(({ id, position: _, ...event }) => {
      const [incarnation = ''] = id.split('.');
      // Fencing tokens are random in part.
      const token = 'fencingToken' in event && { fencingToken: 'fencingToken' };
      const told = { ...event, ...token, incarnation: this.#label(`incarnation ${incarnation}`) };
      if (event.type !== 'session.appended') return told;
      const placeOf = (at: number) => (at === 0 ? 0 : this.#label(`place ${incarnation} ${at}`));
      return {
        ...told,
        start: placeOf(event.start),
        historyPosition: placeOf(event.historyPosition),
      };
    });
  }

  #answer(command: Exclude<Command, { does: 'pass' }>) {
    this.#turn += 1;
    const service = this.#services[this.#turn % this.#services.length];
    if (service === undefined) throw new Error('there is no service');
    switch (command.does) {
      case 'create':
        return this.#create(service, command);
      case 'append':
        return this.#append(service, command);
      case 'lease': {
        const id = this.#idOf(command.session);
        return service
          .lease(id, { holder: command.holder, seconds: (command.ms + 1) / 1000 })
          .map((lease) => {
            this.#fencingTokens.set(id, lease.fencingToken);
            return lease;
          });
      }
      case 'renew': {
        const given = { fencingToken: 1, ...this.#fencingTokenOf(command) };
        return service.renew(this.#idOf(command.session), {
          ...given,
          seconds: (command.ms + 1) / 1000,
        });
      }
      case 'release':
        return service.release(this.#idOf(command.session), {
          fencingToken: 1,
          ...this.#fencingTokenOf(command),
        });
      case 'delete':
        return service.delete(this.#idOf(command.session));
      case 'get':
        return service.get(
          this.#idOf(command.session),
          command.historyLimit === undefined ? {} : { historyLimit: command.historyLimit },
        );
      case 'history':
        return service.history(this.#idOf(command.session), { last: command.last });
      case 'sweep':
        return service.sweep().map(({ ended, deleted, failed }) => ({
          ended: ended.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
          deleted: deleted.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
          failed,
        }));
      case 'list':
        return this.#list(service, command.query);
      default:
        return service[command.does](this.#idOf(command.session), {
          ...(command.name !== undefined && { operationId: command.name }),
          ...this.#fencingTokenOf(command),
        });
    }
  }

  #append(service: SessionService, command: Extract<Command, { does: 'append' }>) {
    const id = this.#idOf(command.session);
    // With an operation id there are two contents, so that a repeated append is the same or a
    // mismatch.
    const text = command.name === undefined ? this.#turn : command.name;
    const entries = Array.from({ length: command.entries }, (_, at) => ({
      role: 'user',
      content: `${text} ${at}`,
    }));
    const ifPosition = command.ifPosition === 'known' ? this.#positions.get(id) : 0;
    const options = {
      ...(command.name !== undefined && { operationId: command.name }),
      ...(command.ifPosition !== undefined && ifPosition !== undefined && { ifPosition }),
      ...this.#fencingTokenOf(command),
    };
    return service.append(id, entries, options).map((appended) => {
      this.#positions.set(id, appended.position);
      return appended;
    });
  }

  #fencingTokenOf({
    session,
    fencingToken,
  }: {
    readonly session: number;
    readonly fencingToken: 'latest' | 'earlier' | undefined;
  }) {
    const latest = this.#fencingTokens.get(this.#idOf(session)) ?? 1;
    return fencingToken === undefined
      ? {}
      : { fencingToken: fencingToken === 'latest' ? latest : Math.max(1, latest - 1) };
  }

  #create(
    service: SessionService,
    { timeLimit, idempotencyKey, user }: Extract<Command, { does: 'create' }>,
  ) {
    const created = service.create({
      ...ada,
      timeLimit: idempotencyKey === undefined ? timeLimit : 2,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      ...(user === undefined ? {} : { labels: { user, channel: 'web' } }),
    });
    return created.map((made) => {
      if (!this.#ids.includes(made.id)) this.#ids.push(made.id);
      return made;
    });
  }

  #list(
    service: SessionService,
    {
      place,
      after,
      before,
      status,
      order,
      limit,
      historyLimit,
      user,
    }: Extract<Command, { does: 'list' }>['query'],
  ) {
    const now = this.#clock.now();
    const behind = this.#cursor === undefined ? {} : { cursor: this.#cursor };
    return service
      .list({
        limit,
        ...(status === undefined || user !== undefined ? {} : { status }),
        ...(user === undefined ? {} : { labels: { user } }),
        ...(order === undefined ? {} : { order }),
        ...(historyLimit === undefined ? {} : { historyLimit }),
        ...(after === undefined ? {} : { createdAfter: new Date(now - after) }),
        ...(before === undefined ? {} : { createdBefore: new Date(now - before) }),
        ...(place === 'next' ? behind : place),
      })
      .map((page) => {
        this.#cursor = page.nextCursor ?? this.#cursor;
        return page;
      });
  }

  #idOf(session: number): string {
    return this.#ids[session] ?? 'nobody';
  }

  #label(text: string): string {
    const [kind = ''] = text.split(' ');
    const label = this.#labels.get(text) ?? `${kind} ${this.#labels.size}`;
    this.#labels.set(text, label);
    return label;
  }
}

/** Fails if the results of two processes on a database differ from those of a memory store. */
const expectSame = async (
  given: readonly Command[],
  stores: readonly [SessionStore, SessionStore],
): Promise<void> => {
  const memory = new Deployment([new MemorySessionStore({ events: true })]);
  const database = new Deployment(stores);
  for (const command of given) {
    const [expected, actual] = [await memory.run(command), await database.run(command)];
    expect({ command, answer: withoutRevisions(actual) }).toEqual({
      command,
      answer: withoutRevisions(expected),
    });
  }
  expect(await database.told()).toEqual(await memory.told());
};

let prefixes = 0;

/**
 * Two processes share the Redis, so that each changes and deletes sessions that the other knows.
 */
describeWithRedis('the Redis store returns the same as the memory store', ({ port }) => {
  test('after any sequence of creates, changes, deletions, sweeps and lists', async () => {
    const client = openClient('ioredis 5', { port });
    await fc.assert(
      fc.asyncProperty(sequences, async (given) => {
        prefixes += 1;
        const options = {
          client,
          prefix: `two-stores-${process.pid}-${prefixes}`,
          events: true,
        };
        await expectSame(given, [new RedisSessionStore(options), new RedisSessionStore(options)]);
        expect(await missingEntries(client, options)).toEqual([]);
      }),
      { numRuns: moreIfLong(30, 300) },
    );
  });
});

describe('the SQLite store returns the same as the memory store', () => {
  test('after any sequence of creates, changes, deletions, sweeps and lists', async () => {
    await fc.assert(
      fc.asyncProperty(sequences, async (given) => {
        const { file, remove } = sqliteFile();
        const databases = [openLibsql(file), openLibsql(file)] as const;
        const [one, other] = [
          new SqliteSessionStore({ database: databases[0], events: true }),
          new SqliteSessionStore({ database: databases[1], events: true }),
        ];
        (await one.migrate())._unsafeUnwrap();
        await expectSame(given, [one, other]).finally(() => {
          for (const database of databases) database.close();
          remove();
        });
      }),
      { numRuns: moreIfLong(30, 300) },
    );
  });
});

describeWithPostgres('the PostgreSQL store returns the same as the memory store', (postgres) => {
  test('after any sequence of creates, changes, deletions, sweeps and lists', async () => {
    const pool = openPool(postgres);
    const schemas = postgresSchemas(pool);
    const property = fc.asyncProperty(sequences, async (given) => {
      const { store, second, close } = await schemas.open({ events: true });
      await expectSame(given, [store, second]).finally(close);
    });
    await Promise.resolve(fc.assert(property, { numRuns: moreIfLong(6, 150) })).finally(() =>
      pool.end(),
    );
  });
});
