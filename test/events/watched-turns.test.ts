import { expect, test, vi } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { SessionChange } from '../../src/index.js';
import { okOf, openSessions, startedIn } from '../support/sessions.js';
import { briefOf, cursorOf, watching } from '../support/watching.js';

const open = async () => {
  const store = new MemorySessionStore({ events: true });
  const { sessions, clock } = openSessions({ store });
  const id = await startedIn(sessions);
  return { sessions, clock, store, id };
};

/** The waiting messages and the work of an item, and what it adds to the history. */
const turnOf = (change: SessionChange | 'end') => {
  if (change === 'end' || !('sequence' in change)) throw new Error('the watch has ended');
  const { session, messages } = change;
  const entries = change.type === 'session.changed' ? change.entries : change.session.history;
  return {
    inbox: session.inbox,
    waiting: messages?.map(({ content }) => content),
    work: session.work,
    said: entries.map(({ content }) => content),
  };
};

const claim = { holder: 'worker-1', seconds: 60 };

test('a watch delivers the waiting messages after each message that is sent or withdrawn', async () => {
  const { sessions, id } = await open();
  await okOf(sessions.send(id, { id: 'm-1', content: 'A bridge' }));
  const watch = watching(sessions, id);
  expect(turnOf(await watch.next())).toMatchObject({ inbox: 1, waiting: ['A bridge'] });
  await okOf(sessions.send(id, { id: 'm-2', content: 'A tunnel' }));
  expect(turnOf(await watch.next())).toMatchObject({ inbox: 2, waiting: ['A bridge', 'A tunnel'] });
  await okOf(sessions.withdraw(id, ['m-1']));
  expect(turnOf(await watch.next())).toMatchObject({ inbox: 1, waiting: ['A tunnel'] });
  await okOf(sessions.withdraw(id));
  expect(turnOf(await watch.next())).toMatchObject({ inbox: 0, waiting: undefined });
});

test('a watch shows a turn that begins, fails, is retried and answers', async () => {
  const { sessions, clock, id } = await open();
  const watch = watching(sessions, id);
  await watch.next();
  await okOf(sessions.send(id, 'A bridge'));
  expect(turnOf(await watch.next()).work).toMatchObject({ state: 'waiting', attempt: 0 });
  const [first] = (await okOf(sessions.claim(claim))).claimed;
  expect(turnOf(await watch.next())).toMatchObject({
    inbox: 0,
    waiting: undefined,
    work: { state: 'running', attempt: 1 },
    said: ['A bridge'],
  });
  const fencingToken = first?.lease.fencingToken ?? 0;
  await okOf(sessions.release(id, { fencingToken, error: 'no model' }));
  expect(turnOf(await watch.next()).work).toMatchObject({ state: 'retrying', error: 'no model' });
  clock.pass(60_000);
  const [second] = (await okOf(sessions.claim(claim))).claimed;
  expect(turnOf(await watch.next()).work).toMatchObject({ state: 'running', attempt: 2 });
  const token = second?.lease.fencingToken ?? 0;
  const entries = [{ role: 'assistant', content: 'Built' }];
  await okOf(sessions.release(id, { fencingToken: token, done: true, entries }));
  expect(turnOf(await watch.next())).toMatchObject({ work: undefined, said: ['Built'] });
});

test('a watch that resumes shows a running turn as retrying after its lease', async () => {
  const { sessions, clock, id } = await open();
  await okOf(sessions.send(id, 'A bridge'));
  await okOf(sessions.claim(claim));
  const cursor = cursorOf(await watching(sessions, id).next());
  clock.pass(60_000);
  const change = await watching(sessions, id, { cursor }).next();
  expect(turnOf(change).work).toMatchObject({ state: 'retrying', attempt: 1 });
});

test('a watch notices a message that replaced another between two items', async () => {
  const { sessions, id } = await open();
  await okOf(sessions.send(id, { id: 'm-1', content: 'A bridge' }));
  await okOf(sessions.send(id, { id: 'm-2', content: 'A tunnel' }));
  const watch = watching(sessions, id);
  await watch.next();
  await okOf(sessions.withdraw(id, ['m-2']));
  await okOf(sessions.send(id, { id: 'm-3', content: 'A ferry' }));
  expect(turnOf(await watch.next()).waiting).toEqual(['A bridge', 'A ferry']);
});

test('a watch yields no item for renewals of a turn and leases of other calls', async () => {
  const { sessions, clock, id } = await open();
  await okOf(sessions.send(id, 'A bridge'));
  const watch = watching(sessions, id);
  await watch.next();
  const { fencingToken } = await okOf(sessions.lease(id, { holder: 'call', seconds: 60 }));
  await okOf(sessions.release(id, { fencingToken }));
  const [claimed] = (await okOf(sessions.claim(claim))).claimed;
  expect(turnOf(await watch.next()).work).toMatchObject({ state: 'running' });
  clock.pass(20_000);
  const token = claimed?.lease.fencingToken ?? 0;
  await okOf(sessions.renew(id, { fencingToken: token, seconds: 60 }));
  const next = watch.next();
  await okOf(sessions.append(id, [{ role: 'user', content: 'Hello' }]));
  expect(briefOf(await next)).toBe('changed ACTIVE Hello');
});

test('a watch reads no messages while the inbox is empty', async () => {
  const { sessions, store, id } = await open();
  const messages = vi.spyOn(store, 'messages');
  const watch = watching(sessions, id);
  expect(await watch.next()).not.toHaveProperty('messages');
  await okOf(sessions.append(id, [{ role: 'user', content: 'Hello' }]));
  expect(await watch.next()).not.toHaveProperty('messages');
  expect(messages).not.toHaveBeenCalled();
});

test('watchAll delivers messages that are sent and withdrawn, with the inbox of the session', async () => {
  const { sessions, id } = await open();
  await okOf(sessions.send(id, 'A bridge'));
  await okOf(sessions.withdraw(id));
  const types: string[] = [];
  for await (const item of sessions.watchAll({ cursor: '0', sessions: true })) {
    const change = item._unsafeUnwrap();
    types.push(change.type);
    if (change.type === 'session.withdrawn') expect(change.session).toMatchObject({ inbox: 0 });
    if (change.type === 'session.withdrawn') break;
  }
  expect(types.slice(-2)).toEqual(['session.sent', 'session.withdrawn']);
});
