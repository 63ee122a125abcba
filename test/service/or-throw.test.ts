import { err, ok, okAsync, type ResultAsync } from 'neverthrow';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { type ClientError, SessionFailure as RemoteFailure } from '../../src/client/index.js';
import type { Session, SessionError, SessionState } from '../../src/index.js';
import { SessionFailure } from '../../src/index.js';
import { storeUnavailable } from '../../src/session/errors.js';
import { createdIn, errorOf, okOf, openSessions, startedIn } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';

const worker = { holder: 'worker', seconds: 30 };

const thrownBy = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => ({ value }),
    (thrown: unknown) => thrown,
  );

describe('orThrow', () => {
  test('provides every operation as a promise of its value', async () => {
    const { orThrow } = openSessions().sessions;
    const { id } = await orThrow.create({ face: 'ada', profile: 'tutor' });
    const started = await orThrow.start(id);
    expectTypeOf(started).toEqualTypeOf<SessionState>();
    await orThrow.append(id, [{ role: 'user', content: 'Hello' }]);
    expect((await orThrow.history(id)).entries).toHaveLength(1);
    expect((await orThrow.list()).total).toBe(1);
    const all: Session[] = [];
    for await (const session of orThrow.each()) all.push(session);
    expect(all).toEqual([await orThrow.get(id)]);
    expect(await orThrow.delete(id)).toBeUndefined();
  });

  test('rejects with the error, its data, and what to do', async () => {
    const { sessions } = openSessions();
    const thrown = await thrownBy(sessions.orThrow.start('nobody'));
    expect(thrown).toBeInstanceOf(SessionFailure);
    expect(thrown).toMatchObject({
      type: 'not_found',
      error: await errorOf(sessions.start('nobody')),
      message: expect.stringMatching(/^not_found: there is no such session \(.*getOrCreate\)$/),
    });
  });

  test('lets a thrown error be narrowed to the errors of the engine, or of the client', () => {
    const thrown: unknown = new Error('other');
    if (thrown instanceof SessionFailure) {
      expectTypeOf(thrown.type).toEqualTypeOf<SessionError['type'] | 'callback_failed'>();
      if (thrown.error.type === 'leased') expectTypeOf(thrown.error.until).toBeString();
    }
    if (thrown instanceof RemoteFailure) {
      expectTypeOf(thrown.type).toEqualTypeOf<ClientError['type'] | 'callback_failed'>();
    }
    const failure = new SessionFailure({ type: 'not_found', message: 'gone', id: 's1' });
    expect([failure instanceof SessionFailure, failure instanceof RemoteFailure]).toEqual([
      true,
      true,
    ]);
    expect([thrown instanceof SessionFailure, Object(1) instanceof SessionFailure]).toEqual([
      false,
      false,
    ]);
  });

  test("keeps the store's exception as the cause", async () => {
    const cause = new Error('no route to host');
    const store = changed(openSessions().store, {
      find: async () => err(storeUnavailable('away', 'not_applied', cause)),
    });
    const thrown = await thrownBy(openSessions({ store }).sessions.orThrow.get('s1'));
    expect(thrown).toMatchObject({ type: 'store_unavailable', cause });
  });

  test('throws at the error of an iteration, after the values before it', async () => {
    const { sessions } = openSessions();
    const id = await createdIn(sessions);
    const seen: string[] = [];
    const read = async () => {
      for await (const session of sessions.orThrow.each({ limit: 1 })) seen.push(session.id);
      for await (const item of sessions.orThrow.watch(id)) seen.push(item.type);
    };
    expect(await thrownBy(read())).toMatchObject({ type: 'misconfigured' });
    expect(seen).toEqual([id]);
  });

  test('provides leases and watches for await using', async () => {
    const { sessions } = openSessions({ store: new MemorySessionStore({ events: true }) });
    const id = await startedIn(sessions);
    {
      await using lease = await sessions.orThrow.lease(id, worker);
      expect((await sessions.orThrow.get(id)).lease?.fencingToken).toBe(lease.fencingToken);
      await using watch = sessions.orThrow.watch(id);
      expect(await watch[Symbol.asyncIterator]().next()).toMatchObject({
        value: { type: 'session.snapshot' },
      });
    }
    expect(await sessions.orThrow.get(id)).not.toHaveProperty('lease');
  });

  test('rejects for an argument that is not a callback', async () => {
    const { sessions } = openSessions();
    const id = await startedIn(sessions);
    const wrong: () => void = JSON.parse('"not a function"');
    expect(await thrownBy(sessions.orThrow.withLease(id, worker, wrong))).toMatchObject({
      type: 'invalid_input',
    });
  });

  test('passes sessions that throw to withLease, which rejects with what the callback throws', async () => {
    const { sessions } = openSessions();
    const id = await startedIn(sessions);
    const { orThrow } = sessions;
    expect(
      await orThrow.withLease(id, worker, async (lease) => (await lease.sessions.pause(id)).status),
    ).toBe('PAUSED');
    const own = new Error('no voice');
    expect(await thrownBy(orThrow.withLease(id, worker, () => Promise.reject(own)))).toBe(own);
    const failed = orThrow.withLease(id, worker, (lease) => lease.sessions.pause(id));
    expect(await thrownBy(failed)).toMatchObject({
      type: 'invalid_transition',
      name: 'SessionFailure',
    });
    expect(await thrownBy(orThrow.withLease('nobody', worker, () => 1))).toMatchObject({
      type: 'not_found',
    });
  });
});

describe('the sessions of withLease', () => {
  test('send the token in every write on their session, and in no other write', async () => {
    const { sessions, clock } = openSessions();
    const [id, other] = [await startedIn(sessions), await startedIn(sessions)];
    const types: string[] = [];
    await sessions.withLease(id, worker, async (lease) => {
      clock.pass(31_000);
      const mine = lease.sessions;
      const words = [{ role: 'user', content: 'Hello' }];
      const writes: ResultAsync<unknown, SessionError>[] = [
        mine.append(id, words),
        mine.rewind(id, { to: 0, ifPosition: 0 }),
        mine.pause(id),
        mine.resume(id),
        mine.extend(id, { timeLimit: 60 }),
        mine.update(id, { labels: { user: 'u-1' } }),
        mine.terminate(id),
        mine.fail(id),
      ];
      for (const write of writes) types.push((await errorOf(write)).type);
      await okOf(mine.append(other, words));
      await okOf(mine.pause(other));
      await okOf(mine.forTenant('default').append(id, words));
    });
    expect(new Set(types)).toEqual(new Set(['lease_lost']));
    expect(await okOf(sessions.get(id))).toMatchObject({ status: 'ACTIVE', historyCount: 1 });
  });

  test('send another token if one is given', async () => {
    const { sessions } = openSessions();
    const id = await startedIn(sessions);
    const error = await sessions.withLease(id, worker, (lease) =>
      lease.sessions.pause(id, { fencingToken: lease.fencingToken + 1 }),
    );
    expect(error._unsafeUnwrapErr()).toMatchObject({ type: 'lease_lost' });
  });

  test("return the callback's error as the error of withLease", async () => {
    const { sessions } = openSessions();
    const id = await createdIn(sessions);
    const words = [{ role: 'user', content: 'Hello' }];
    const refused = await sessions.withLease(id, worker, (lease) =>
      lease.sessions.append(id, words),
    );
    expect(refused._unsafeUnwrapErr()).toMatchObject({ type: 'invalid_transition' });
    const own = await sessions.withLease(id, worker, async () => err('too late'));
    expect(own._unsafeUnwrapErr()).toBe('too late');
    expect(await okOf(sessions.withLease(id, worker, () => ok(1)))).toBe(1);
    expect(await okOf(sessions.withLease(id, worker, () => okAsync(2)))).toBe(2);
    expect(await okOf(sessions.withLease(id, worker, () => ({ isErr: false })))).toEqual({
      isErr: false,
    });
  });
});
