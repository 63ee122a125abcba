import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import {
  type RemoteClaims,
  SessionFailure as RemoteFailure,
  type SessionClient,
} from '../../src/client/index.js';
import { type Claims, SessionFailure, SessionService } from '../../src/index.js';
import { ManualClock } from '../support/manual-clock.js';
import { ada } from '../support/sessions.js';
import { outcome } from './comparable.js';
import { active, json, problem, scripted, unplugged } from './scripted.js';
import { serve } from './served.js';

type Operations = Pick<
  SessionService,
  | 'create'
  | 'get'
  | 'append'
  | 'pause'
  | 'renew'
  | 'wake'
  | 'release'
  | 'cancel'
  | 'terminate'
  | 'withLease'
> & {
  claim: SessionService['claim'] | SessionClient['claim'];
  countWaiting: SessionService['countWaiting'] | SessionClient['countWaiting'];
};

const worker = { holder: 'worker-1', seconds: 10 };
const words = [{ role: 'assistant', content: 'Hello' }];

const claimsTold = ({ claimed, unreadable, limit }: Claims | RemoteClaims) => [
  claimed.map(({ session, start, position, lease, attempt, waitingSince }) => [
    [session.options.face, session.status, session.history, start, position],
    [lease.holder, lease.until, attempt, waitingSince],
  ]),
  unreadable,
  limit,
];

/** What workers ask, and what each step answered. */
const scenario = async (
  sessions: Operations | SessionClient,
  clock: ManualClock,
): Promise<readonly unknown[]> => {
  const seen: unknown[] = [];
  let token = 0;
  const claim = async (more: object = {}) => {
    const claims = await sessions.claim({ ...worker, ...more });
    token = claims.isOk() ? (claims.value.claimed[0]?.lease.fencingToken ?? token) : token;
    seen.push(outcome<Claims | RemoteClaims>(claims, claimsTold));
  };
  const created = await sessions.create({ ...ada, start: true, wake: true, idempotencyKey: 'one' });
  const { id } = created._unsafeUnwrap();
  const misspelt: readonly (readonly [
    name: 'wake' | 'claim' | 'cancel' | 'release',
    args: readonly unknown[],
  ])[] = [
    ['wake', [id, { when: 'now' }]],
    ['wake', [id, { at: 'soon' }]],
    ['claim', [{ ...worker, limt: 1 }]],
    ['claim', [{ holder: '', seconds: 0, limit: 0, attempts: 0, historyLimit: -1 }]],
    ['cancel', [id, { reason: '' }]],
    ['cancel', [id, { why: 'so' }]],
    ['release', [id, { fencingToken: 1, done: 'yes' }]],
  ];
  for (const [name, args] of misspelt) {
    seen.push(outcome<unknown>(await Reflect.apply(sessions[name], sessions, args)));
  }
  seen.push(outcome(await sessions.countWaiting()));
  await claim({ limit: 1000, attempts: 2, historyLimit: 0 });
  seen.push(outcome(await sessions.countWaiting()));
  await claim();
  seen.push(outcome(await sessions.append(id, words, { fencingToken: token + 1 })));
  seen.push(outcome(await sessions.release(id, { fencingToken: token, done: true })));
  seen.push(outcome(await sessions.wake(id, { at: new Date(clock.now() + 5000) })));
  await claim();
  clock.pass(5000);
  await claim();
  const said = words.map((entry) => ({ ...entry, data: { to: 'Ada' } }));
  seen.push(outcome(await sessions.append(id, [...words, ...said])));
  seen.push(outcome(await sessions.wake(id)));
  seen.push(outcome(await sessions.release(id, { fencingToken: token })));
  await claim({ historyLimit: 1 });
  seen.push(outcome(await sessions.cancel(id, { reason: 'The user has left.' })));
  const fenced = { fencingToken: token };
  seen.push(
    outcome(await sessions.append(id, words, fenced)),
    outcome(await sessions.pause(id, fenced)),
    outcome(await sessions.renew(id, { ...fenced, seconds: 1 })),
    outcome(await sessions.release(id, { ...fenced, done: true })),
    outcome(await sessions.cancel(id)),
  );
  await claim();
  for (const name of ['wake', 'cancel'] as const)
    seen.push(outcome<unknown>(await sessions[name]('nobody')));
  seen.push(outcome(await sessions.terminate(id)));
  for (const name of ['wake', 'cancel'] as const)
    seen.push(outcome<unknown>(await sessions[name](id)));
  return seen;
};

describe('work in the client', () => {
  test('returns what the service returns', async () => {
    const clock = new ManualClock();
    const store = new MemorySessionStore({ events: true });
    const local = new SessionService({ store, clock, tenant: 'acme' });
    const expected = await scenario(local, clock);
    const { client, clock: theirs } = await serve();
    expect(await scenario(client, theirs)).toEqual(expected);
    expect(expected).toContainEqual({ type: 'cancelled' });
    expect(expected).toContainEqual({ stopped: true });
    expect(expected).toContainEqual({ count: 1, limit: 10_000 });
    expect(JSON.stringify(expected)).toContain(
      '["worker-1","2026-01-31T12:00:10.000Z",1,"2026-01-31T12:00:00.000Z"]',
    );
  });

  test('contains the reason of a cancel, also if the function throws', async () => {
    const { client, sessions } = await serve();
    for (const { orThrow } of [client, sessions]) {
      const { id } = await orThrow.create({ ...ada, start: true, wake: true });
      const { claimed } = await orThrow.claim(worker);
      const fencingToken = claimed[0]?.lease.fencingToken ?? 0;
      await orThrow.cancel(id, { reason: 'enough' });
      const thrown: unknown = await orThrow
        .renew(id, { fencingToken, seconds: 1 })
        .catch((error) => error);
      expect(thrown).toMatchObject({ type: 'cancelled', error: { reason: 'enough' } });
      expect([thrown instanceof SessionFailure, thrown instanceof RemoteFailure]).toEqual([
        true,
        true,
      ]);
      expect(await orThrow.release(id, { fencingToken, done: true })).toEqual({ stopped: true });
      expect(await orThrow.wake(id)).toBeUndefined();
      expect((await orThrow.claim(worker)).claimed).toMatchObject([
        { session: { id }, attempt: 1 },
      ]);
    }
  });

  test('is limited to the tenant of the key', async () => {
    const { client, sessions } = await serve();
    await sessions.forTenant('globex').orThrow.create({ ...ada, wake: true });
    expect((await client.orThrow.claim({ ...worker, limit: 100 })).claimed).toEqual([]);
    const all = await sessions.orThrow.claimAny({ ...worker, limit: 100 });
    expect(all.claimed).toMatchObject([{ tenant: 'globex' }]);
  });

  const nothing = () => new Response(null, { status: 204 });
  const over = json(200, {});
  const none = json(200, { claimed: [], unreadable: [], limit: 1 });

  test('is requested again after a transient failure', async () => {
    for (const failure of [unplugged, json(429, {}), problem(503, 'store_unavailable')]) {
      for (const [name, args, answer] of [
        ['wake', ['s1'], nothing],
        ['cancel', ['s1'], nothing],
        ['release', ['s1', { fencingToken: 1, done: true }], over],
        ['claim', [worker], none],
        ['countWaiting', [], json(200, { count: 0, limit: 10_000 })],
      ] as const) {
        const { client, sent } = scripted([failure, failure, answer]);
        const result = await Reflect.apply(client[name], client, args);
        expect([name, result.isErr() && result.error]).toEqual([name, false]);
        expect(sent).toHaveLength(3);
        expect(new Set(sent.map(({ init }) => init.body)).size).toBe(1);
      }
    }
  });

  test('is not requested again after a cancel, and a malformed response is an error', async () => {
    const { client, sent } = scripted([problem(409, 'cancelled'), active]);
    expect((await client.release('s1', { fencingToken: 1 }))._unsafeUnwrapErr().type).toBe(
      'cancelled',
    );
    expect(sent).toHaveLength(1);
    for (const call of [
      scripted([active]).client.claim(worker),
      scripted([active]).client.wake('s1'),
    ]) {
      expect((await call).isErr()).toBe(true);
    }
  });
});
