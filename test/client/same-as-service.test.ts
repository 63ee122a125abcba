import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { RedisSessionStore } from '../../adapters/redis/index.js';
import type { RemoteErrors } from '../../src/client/index.js';
import {
  type HeldLease,
  type OperationErrors,
  type SessionOperations,
  SessionService,
  type SessionStore,
} from '../../src/index.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { ManualClock } from '../support/manual-clock.js';
import { PATIENT_MS } from '../support/patience.js';
import { openClient } from '../support/redis-clients.js';
import { ada } from '../support/sessions.js';
import { comparableChange, outcome, sixFields } from './comparable.js';
import { serve } from './served.js';

type Either = SessionOperations<OperationErrors | RemoteErrors>;

/** One conversation with all that can be asked and refused; what each step answered. */
const scenario = async (sessions: Either, clock: ManualClock): Promise<readonly unknown[]> => {
  const seen: unknown[] = [];
  const created = await sessions.create({
    ...ada,
    behavior: 'höflich',
    timeLimit: 60,
    idempotencyKey: 'first',
  });
  const id = created.match(
    (session) => session.id,
    () => '',
  );
  seen.push(outcome(created, (session) => session.id));
  const again = await sessions.create({
    ...ada,
    behavior: 'höflich',
    timeLimit: 60,
    idempotencyKey: 'first',
  });
  seen.push(outcome(again, (session) => [session.id, session.repeated]));
  seen.push(outcome(await sessions.create({ ...ada, idempotencyKey: 'first' }), () => 'another'));
  seen.push(outcome(await sessions.create({ face: '', profile: 'tutor', timeLimit: -1 })));
  const misspelt: readonly (readonly [
    name: Exclude<keyof Either, 'orThrow'>,
    args: readonly unknown[],
  ])[] = [
    ['create', [{ ...ada, timelimit: 5, color: 'red' }]],
    ['get', [id, { historylimit: 1 }]],
    ['history', [id, { frist: 1 }]],
    ['list', [{ limt: 5 }]],
    ['start', [id, { fense: 1 }]],
    ['extend', [id, { timeLimit: 90, timelimit: 5 }]],
    ['update', [id, { labels: {}, label: {} }]],
    ['append', [id, [{ role: 'user', content: 'x' }], { ifposition: 1 }]],
    [
      'append',
      [
        id,
        [
          { role: 'user', content: 'x' },
          { role: 'user', content: 'x', dta: 1 },
        ],
      ],
    ],
    ['create', [{ ...ada, entries: [{ role: 'user', content: 'x', text: 'y' }] }]],
    ['create', [{ ...ada, from: { id, positon: 1 } }]],
    ['rewind', [id, { to: 0, ifPosition: 0, ifposition: 1 }]],
    ['lease', [id, { holder: 'a', seconds: 1, until: 5 }]],
    ['renew', [id, { fencingToken: 1, seconds: 1, until: 5 }]],
    ['release', [id, { fencingToken: 1, force: true }]],
  ];
  for (const [name, args] of misspelt) {
    seen.push(outcome<unknown>(await Reflect.apply(sessions[name], sessions, args)));
  }
  seen.push(outcome(await sessions.append(id, [{ role: 'user', content: 'too early' }])));
  seen.push(outcome(await sessions.start(id, { operationId: 'start-1' })));
  seen.push(outcome(await sessions.start(id, { operationId: 'start-1' })));
  seen.push(outcome(await sessions.start(id)));
  clock.pass(2500);
  seen.push(outcome(await sessions.extend(id, { timeLimit: 90 }, { operationId: 'paid' })));
  seen.push(outcome(await sessions.extend(id, { timeLimit: 90 }, { operationId: 'paid' })));
  seen.push(outcome(await sessions.extend(id, { timeLimit: 80 }, { operationId: 'paid' })));
  for (const timeLimit of [1, -1]) seen.push(outcome(await sessions.extend(id, { timeLimit })));
  seen.push(outcome(await sessions.extend(id, { timeLimit: 60 })));
  for (const labels of [
    { pageTitle: 'a: b', draft: null },
    { draft: null, pageTitle: 'a: b' },
    { 'a b': '' },
  ])
    seen.push(outcome(await sessions.update(id, { labels }, { operationId: 'name' })));
  const words = [{ role: 'user', content: 'How much is it?', timestamp: new Date(clock.now()) }];
  seen.push(outcome(await sessions.append(id, words, { operationId: 'turn-1' })));
  seen.push(outcome(await sessions.append(id, words, { operationId: 'turn-1' })));
  seen.push(outcome(await sessions.append(id, [{ role: '', content: 'x' }])));
  seen.push(outcome(await sessions.append(id, [])));
  seen.push(outcome(await sessions.append(id, [...words, ...words, ...words, ...words])));
  seen.push(
    outcome(
      await sessions.append(id, [{ role: 'user', content: 'other' }], { operationId: 'turn-1' }),
    ),
  );
  seen.push(outcome(await sessions.append(id, words, { ifPosition: 0 })));
  seen.push(outcome(await sessions.append(id, words, { fencingToken: 1 })));
  const { position: end } = (await sessions.append(id, [...words, ...words]))._unsafeUnwrap();
  for (const to of [0, end, 77_777_777, -1, Number.NaN]) {
    const rewind = { to, ifPosition: end, operationId: `rewind-${to}`.replace('-', '.') };
    seen.push(outcome(await sessions.rewind(id, { ...rewind, entries: words })));
    seen.push(outcome(await sessions.rewind(id, rewind)));
  }
  const { position: ifPosition } = (await sessions.history(id))._unsafeUnwrap();
  for (const to of [1, end + 1])
    seen.push(outcome(await sessions.rewind(id, { to, ifPosition, operationId: 'to' })));
  seen.push(outcome(await sessions.rewind(id, { to: 0, ifPosition, operationId: 'clear' })));
  seen.push(outcome(await sessions.rewind(id, { to: 0, ifPosition, operationId: 'clear' })));
  seen.push(outcome(await sessions.rewind(id, { to: 0, ifPosition, fencingToken: 1 })));
  seen.push(outcome(await sessions.rewind(id, { to: 0, ifPosition, operationId: 'not a name' })));
  seen.push(outcome(await sessions.append(id, words)));
  const leased = await sessions.lease(id, { holder: 'a', seconds: 1.5 });
  // The first fencing token of a session with an idempotency key is random.
  seen.push(outcome(leased, ({ holder, until }) => [holder, until]));
  const fencingToken = leased.match(
    (lease) => lease.fencingToken,
    () => 0,
  );
  seen.push(outcome(await sessions.lease(id, { holder: 'b', seconds: 1 })));
  seen.push(outcome(await sessions.lease(id, { holder: '', seconds: 0 })));
  const use = async ({ signal }: HeldLease<unknown>) => (signal.aborted ? 'lost' : 'held');
  seen.push(outcome(await sessions.withLease(id, { holder: 'b', seconds: 1 }, use)));
  const renewed = await sessions.renew(id, { fencingToken, seconds: 2 });
  seen.push(outcome(renewed, ({ holder, until }) => [holder, until]));
  seen.push(outcome(await sessions.renew(id, { fencingToken: fencingToken + 1, seconds: 2 })));
  seen.push(outcome(await sessions.renew(id, { fencingToken: 0, seconds: 0 })));
  seen.push(outcome(await sessions.pause(id, { fencingToken: 0 })));
  seen.push(outcome(await sessions.pause(id, { fencingToken: fencingToken + 1 })));
  seen.push(
    outcome(await sessions.pause(id, { fencingToken })),
    outcome(await sessions.resume(id, { fencingToken })),
  );
  seen.push(
    outcome(await sessions.release(id, { fencingToken })),
    outcome(await sessions.withLease(id, { holder: 'b', seconds: 1 }, use)),
    outcome(
      await sessions.withLease(id, { holder: 'b', seconds: 1 }, () =>
        Promise.reject(new Error('no')),
      ),
    ),
    outcome(await sessions.release(id, { fencingToken: fencingToken + 9 })),
  );
  for (const slice of [
    {},
    { last: 1 },
    { last: 1001 },
    { after: 0, limit: 77_777 },
    { after: 0, limit: 1 },
    { before: 1 },
    { before: 0 },
    { last: 0 },
    { after: 99 },
  ]) {
    seen.push(outcome(await sessions.history(id, slice)));
  }
  seen.push(outcome(await sessions.history('nobody')));
  seen.push(outcome(await sessions.pause(id, { operationId: 'not a name' })));
  seen.push(outcome(await sessions.pause(id)));
  seen.push(outcome(await sessions.resume(id)));
  seen.push(
    outcome(await sessions.get(id), sixFields),
    outcome(await sessions.get(id, { historyLimit: 0 }), sixFields),
  );
  for (const face of ['b', 'c', 'd']) {
    clock.pass(1000);
    await sessions.create({
      ...ada,
      face,
      labels: { user: face === 'd' ? 'u:1' : 'u-2' },
      idempotencyKey: face,
    });
  }
  const pages: readonly Parameters<Either['list']>[0][] = [
    {},
    { limit: 2, page: 2 },
    { limit: 3, order: 'oldest', createdAfter: new Date(clock.now() - 2500) },
    { createdBefore: 'yesterday' },
    { labels: { user: 'u:1' } },
    { labels: { user: 'nobody' } },
    { labels: {} },
    { labels: { pageTitle: 'a: b', user: 'u-2' } },
    { labels: { user: 'u-2' }, status: 'IDLE', order: 'updated', limit: 1 },
    { order: 'updated' },
    { order: 'updated', status: ['IDLE', 'TERMINATED'], limit: 2 },
    { status: ['IDLE'] },
    { status: ['TERMINATED', 'PAUSED', 'PAUSED'], limit: 1 },
    { status: [] },
    { labels: { user: 'u:1' }, limit: 1, historyLimit: 0 },
    { limit: 0 },
    { cursor: 'nonsense' },
    { page: 9 },
  ];
  for (const query of pages) {
    seen.push(
      outcome(await sessions.list(query), (page) => ({
        ...page,
        truncated: undefined,
        sessions: page.sessions.map(sixFields),
      })),
    );
  }
  const each = sessions.each({ limit: 2, order: 'oldest' });
  for await (const session of each) seen.push(outcome(session, ({ options }) => options.face));
  for await (const session of sessions.each({ cursor: 'nonsense' })) seen.push(outcome(session));
  clock.pass(60_000);
  seen.push(outcome(await sessions.get(id), sixFields));
  seen.push(outcome(await sessions.terminate(id)));
  seen.push(outcome(await sessions.fail(id)));
  seen.push(outcome(await sessions.delete(id)), outcome(await sessions.delete(id)));
  for (const step of ['get', 'start', 'terminate'] as const)
    seen.push(outcome<unknown>(await sessions[step](id)));
  seen.push(outcome(await sessions.append('', words)), outcome(await sessions.get('a/b?c#d%2e ü')));
  return seen;
};

const watching = async (sessions: Either, driver: SessionService) => {
  const created = await driver.create({ ...ada, idempotencyKey: 'watched' });
  const id = created._unsafeUnwrap().id;
  const seen: unknown[] = [];
  for await (const item of sessions.watch(id)) {
    seen.push(outcome(item, comparableChange));
    // One change at a time: changes between two reads arrive together.
    if (seen.length === 1) await driver.start(id);
    if (seen.length === 2) await driver.append(id, [{ role: 'user', content: 'x' }]);
    if (seen.length === 3) await driver.terminate(id);
  }
  for await (const item of sessions.watch(id)) seen.push(outcome(item, comparableChange));
  for await (const item of sessions.watch('nobody')) seen.push(outcome(item, comparableChange));
  for await (const item of sessions.watch(id, { cursor: 'nowhere' })) {
    seen.push(outcome(item, comparableChange));
  }
  return seen;
};

const cases = (storeOf: () => SessionStore): void => {
  const rules = { limits: { historyEntries: 4 }, idleTimeout: 600 };

  test('returns what the service returns', async () => {
    const clock = new ManualClock();
    const local = new SessionService({ store: storeOf(), clock, tenant: 'acme', ...rules });
    const expected = await scenario(local, clock);
    const { client, clock: theirs } = await serve({ store: storeOf(), ...rules });
    expect(await scenario(client, theirs)).toEqual(expected);
    expect(expected).toContainEqual({ type: 'history_full' });
  });

  test('yields the same watch items as the service', async () => {
    const local = new SessionService({
      store: storeOf(),
      clock: new ManualClock(),
      tenant: 'acme',
    });
    const expected = await watching(local, local);
    const { client, sessions } = await serve({ store: storeOf() });
    expect(await watching(client, sessions)).toEqual(expected);
    expect(expected).toHaveLength(7);
  });
};

describe('the client, over sessions in memory', () => {
  cases(() => new MemorySessionStore({ events: true }));
});

describeWithRedis('the client, over sessions in Redis', ({ port }) => {
  cases(() => {
    const prefix = `client-${process.pid}-${performance.now()}`;
    const client = openClient('ioredis 5', { port });
    return new RedisSessionStore({ client, prefix, events: true, timeoutMs: PATIENT_MS });
  });
});
