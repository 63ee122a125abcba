import { expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { SessionService } from '../../src/index.js';
import { okOf, openSessions, startedIn } from '../support/sessions.js';
import { briefOf, watching } from '../support/watching.js';

const open = () => openSessions({ store: new MemorySessionStore({ events: true }) });

const said = (content: string) => [{ role: 'user', content }];

const workers = ['first', 'second', 'third'];

/** What a worker does at each event: it leases the session, if it is free, and releases it. */
const leaseAndRelease = async (
  sessions: SessionService,
  id: string,
  holder: string,
): Promise<void> => {
  const leased = await sessions.lease(id, { holder, seconds: 60 });
  if (leased.isOk()) await okOf(sessions.release(id, { fencingToken: leased.value.fencingToken }));
};

/** The steps of a user, each after all workers have handled the item before. */
const stepsOf = (sessions: SessionService, id: string) => {
  const steps = [
    () => sessions.append(id, said('Hello')),
    () => sessions.append(id, said('Bye')),
    () => sessions.terminate(id),
  ];
  let waiting = 0;
  return async (): Promise<void> => {
    waiting += 1;
    if (waiting % workers.length === 0) await steps.shift()?.();
  };
};

test("a fleet that leases a session at each item of a watch stops after its user's changes", async () => {
  const { sessions } = open();
  const id = await startedIn(sessions);
  const handled = stepsOf(sessions, id);
  const work = async (holder: string): Promise<readonly string[]> => {
    const seen: string[] = [];
    for await (const item of sessions.watch(id)) {
      seen.push(briefOf(item._unsafeUnwrap()));
      await leaseAndRelease(sessions, id, holder);
      await handled();
    }
    return seen;
  };
  const seen = [
    'snapshot ACTIVE',
    'changed ACTIVE Hello',
    'changed ACTIVE Bye',
    'changed TERMINATED terminated',
  ];
  expect(await Promise.all(workers.map(work))).toEqual(workers.map(() => seen));
});

test('a fleet that leases a session at each event of its tenant triggers no event by its leases', async () => {
  const { sessions } = open();
  const id = await startedIn(sessions);
  const handled = stepsOf(sessions, id);
  const work = async (holder: string): Promise<readonly string[]> => {
    const seen: string[] = [];
    for await (const item of sessions.watchAll({ cursor: '0' })) {
      const { type } = item._unsafeUnwrap();
      seen.push(type);
      await leaseAndRelease(sessions, id, holder);
      if (type !== 'session.created') await handled();
      if (type === 'session.terminated') break;
    }
    return seen;
  };
  const types = ['created', 'started', 'appended', 'appended', 'terminated'].map(
    (name) => `session.${name}`,
  );
  expect(await Promise.all(workers.map(work))).toEqual(workers.map(() => types));
});

test('a watch with leases yields taken and released leases, but no renewals', async () => {
  const { sessions } = open();
  const id = await startedIn(sessions);
  const watch = watching(sessions, id, { leases: true });
  await watch.next();
  const { fencingToken } = await okOf(sessions.lease(id, { holder: 'worker', seconds: 60 }));
  expect(await watch.next()).toMatchObject({ session: { lease: { holder: 'worker' } } });
  await okOf(sessions.renew(id, { fencingToken, seconds: 60 }));
  await okOf(sessions.release(id, { fencingToken }));
  const released = await watch.next();
  expect(Object(released).session).not.toHaveProperty('lease');
});

test('watchAll delivers a wake only with leases', async () => {
  const { sessions } = open();
  const id = await startedIn(sessions);
  await okOf(sessions.wake(id));
  await okOf(sessions.terminate(id));
  const typesWith = async (leases: boolean): Promise<readonly string[]> => {
    const types: string[] = [];
    for await (const item of sessions.watchAll({ cursor: '0', leases })) {
      types.push(item._unsafeUnwrap().type.replace('session.', ''));
      if (types.at(-1) === 'terminated') break;
    }
    return types;
  };
  expect(await typesWith(false)).toEqual(['created', 'started', 'terminated']);
  expect(await typesWith(true)).toEqual(['created', 'started', 'woken', 'terminated']);
});

test('an item after a lease contains the lease and the sequence of all changes', async () => {
  const { sessions } = open();
  const id = await startedIn(sessions);
  const watch = watching(sessions, id);
  await watch.next();
  await okOf(sessions.lease(id, { holder: 'worker', seconds: 60 }));
  await okOf(sessions.append(id, said('Hello')));
  expect(await watch.next()).toMatchObject({
    session: { lease: { holder: 'worker' } },
    sequence: 4,
  });
});

test('a watch notices a pause and a resume between two items, even in the same millisecond', async () => {
  const { sessions, clock } = open();
  const id = await startedIn(sessions);
  clock.pass(1000);
  const watch = watching(sessions, id);
  await watch.next();
  await okOf(sessions.pause(id));
  await okOf(sessions.resume(id));
  expect(briefOf(await watch.next())).toBe('changed ACTIVE');
});

test('a watch rejects leases unless it is true or false', async () => {
  const { sessions } = open();
  const { value } = await sessions
    .watch('s1', Object({ leases: 'yes' }))
    [Symbol.asyncIterator]()
    .next();
  expect(Object(value)._unsafeUnwrapErr()).toMatchObject({
    type: 'invalid_input',
    issues: [{ path: 'leases', message: 'must be true or false' }],
  });
});
