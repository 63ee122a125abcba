import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { RedisSessionStore } from '../../adapters/redis/index.js';
import type { SessionEvent } from '../../src/events/session-event.js';
import { SessionService } from '../../src/service/session-service.js';
import { sessionStatuses } from '../../src/session/session-status.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { moreInCi } from '../support/continuous-integration.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { ManualClock } from '../support/manual-clock.js';
import { openClient } from '../support/redis-clients.js';
import { missingEntries } from '../support/redis-indexes.js';
import { ada, countingIds } from '../support/sessions.js';

vi.setConfig({ testTimeout: 120_000 });

const session = fc.nat({ max: 9 });
const name = fc.constantFrom(undefined, 'a', 'a:1', 'b');
const optional = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined, freq: 2 });
/** Long enough for some sessions to end by the clock, and short enough for others not to. */
const ms = fc.constantFrom(0, 1, 2, 999, 1000, 2500);

const listQuery = fc.record({
  status: optional(fc.constantFrom(...sessionStatuses)),
  limit: fc.integer({ min: 1, max: 5 }),
  place: fc.oneof(fc.record({ page: fc.integer({ min: 1, max: 3 }) }), fc.constant('next' as const)),
  order: optional(fc.constantFrom('newest' as const, 'oldest' as const)),
  after: fc.option(ms, { nil: undefined, freq: 2 }),
  before: fc.option(ms, { nil: undefined, freq: 2 }),
  historyLimit: optional(fc.nat({ max: 3 })),
});

const create = fc.record({
  does: fc.constant('create' as const),
  timeLimit: fc.constantFrom(0, 1, 2, 5),
  idempotencyKey: fc.constantFrom(undefined, undefined, undefined, 'k1', 'k2'),
});
const change = fc.record({
  does: fc.constantFrom('start' as const, 'pause' as const, 'resume' as const, 'terminate' as const, 'fail' as const),
  session,
  name,
});

const command = fc.oneof(
  { weight: 3, arbitrary: create },
  { weight: 3, arbitrary: change },
  { weight: 4, arbitrary: fc.record({ does: fc.constant('start' as const), session, name: fc.constant(undefined) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('append' as const),
      session,
      name,
      entries: fc.integer({ min: 1, max: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('delete' as const), session }) },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('get' as const), session, historyLimit: optional(fc.nat({ max: 3 })) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constant('history' as const), session, last: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('sweep' as const) }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('pass' as const), ms }) },
  { weight: 6, arbitrary: fc.record({ does: fc.constant('list' as const), query: listQuery }) },
);

/** Some sessions to begin with, for what follows to act on. */
const sequences = fc
  .tuple(fc.array(create, { minLength: 3, maxLength: 8 }), fc.array(command, { minLength: 10, maxLength: 60 }))
  .map(([first, rest]) => [...first, ...rest]);

type Command = typeof command extends fc.Arbitrary<infer C> ? C : never;

/** The services of some processes on one database, with their clock, and what a caller has heard from them so far. */
class Deployment {
  readonly #clock = new ManualClock();
  readonly #services: readonly SessionService[];
  readonly #store: SessionStore;
  readonly #ids: string[] = [];
  /** Positions and births are opaque: they are replaced by the order in which they first appear. */
  readonly #labels = new Map<string, string>();
  #cursor: string | undefined;
  #turn = 0;

  constructor(stores: readonly [SessionStore, ...SessionStore[]]) {
    [this.#store] = stores;
    const ids = countingIds();
    this.#services = stores.map(
      (store) => new SessionService({ store, clock: this.#clock, ids, idleTimeout: 4, retention: 3 }),
    );
  }

  /** What the caller hears, from one process after the other. */
  async run(command: Command): Promise<unknown> {
    if (command.does === 'pass') {
      this.#clock.pass(command.ms);
      return undefined;
    }
    const answer = await this.#answer(command);
    return answer.match(
      (value) =>
        JSON.parse(JSON.stringify(value ?? null), (key, each) =>
          key === 'position' && each !== 0 && 'session' in command
            ? this.#label(`position ${this.#idOf(command.session)} ${each}`)
            : each,
        ),
      (error) => ({ ...error, cause: undefined }),
    );
  }

  /** The events of all sessions, each change once. */
  async told(): Promise<unknown> {
    const log = this.#store.events;
    if (log === undefined) return [];
    const read = await log.read(log.streamOf('default'), '', 100_000);
    const events: readonly SessionEvent[] = read._unsafeUnwrap().events;
    const once = events.filter(({ id }, at) => events.findIndex((event) => event.id === id) === at);
    const bySession = once.toSorted((a, b) => (a.sessionId < b.sessionId ? -1 : 1));
    return bySession.map(({ id, position: _, ...event }) => ({
      ...event,
      birth: this.#label(`birth ${id.split('.')[0]}`),
      historyPosition: undefined,
    }));
  }

  #answer(command: Exclude<Command, { does: 'pass' }>) {
    this.#turn += 1;
    const service = this.#services[this.#turn % this.#services.length];
    if (service === undefined) throw new Error('there is no service');
    switch (command.does) {
      case 'create':
        return this.#create(service, command);
      case 'append':
        return service.append(
          this.#idOf(command.session),
          Array.from({ length: command.entries }, (_, at) => ({ role: 'user', content: `${this.#turn} ${at}` })),
          command.name === undefined ? {} : { operationId: command.name },
        );
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
        return service[command.does](
          this.#idOf(command.session),
          command.name === undefined ? {} : { operationId: command.name },
        );
    }
  }

  #create(service: SessionService, { timeLimit, idempotencyKey }: Extract<Command, { does: 'create' }>) {
    const created = service.create({
      ...ada,
      timeLimit: idempotencyKey === undefined ? timeLimit : 2,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    });
    return created.map((made) => {
      if (!this.#ids.includes(made.id)) this.#ids.push(made.id);
      return made;
    });
  }

  #list(
    service: SessionService,
    { place, after, before, status, order, limit, historyLimit }: Extract<Command, { does: 'list' }>['query'],
  ) {
    const now = this.#clock.now();
    const behind = this.#cursor === undefined ? {} : { after: this.#cursor };
    return service
      .list({
        limit,
        ...(status === undefined ? {} : { status }),
        ...(order === undefined ? {} : { order }),
        ...(historyLimit === undefined ? {} : { historyLimit }),
        ...(after === undefined ? {} : { createdAfter: new Date(now - after) }),
        ...(before === undefined ? {} : { createdBefore: new Date(now - before) }),
        ...(place === 'next' ? behind : place),
      })
      .map((page) => {
        this.#cursor = page.next ?? this.#cursor;
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

let prefixes = 0;

/** Two processes share the Redis, so that each changes and deletes what the other knows. */
describeWithRedis('a caller cannot tell the Redis store from the one in memory', ({ port }) => {
  test('whatever is created, changed, deleted, swept and listed, in whatever order', async () => {
    const client = openClient('ioredis 5', { port });
    await fc.assert(
      fc.asyncProperty(sequences, async (given) => {
        prefixes += 1;
        const options = { client, prefix: `two-stores-${process.pid}-${prefixes}`, statusIndex: true, events: true };
        const memory = new Deployment([new MemorySessionStore({ events: true })]);
        const redis = new Deployment([new RedisSessionStore(options), new RedisSessionStore(options)]);
        for (const command of given) {
          const [expected, actual] = [await memory.run(command), await redis.run(command)];
          expect({ command, answer: actual }).toEqual({ command, answer: expected });
        }
        expect(await redis.told()).toEqual(await memory.told());
        expect(await missingEntries(client, options)).toEqual([]);
      }),
      { numRuns: moreInCi(100, 300) },
    );
  });
});
