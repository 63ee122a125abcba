import { expect, test } from 'vitest';
import type { SessionService } from '../../src/index.js';
import { ada, errorOf, okOf } from '../support/sessions.js';
import { briefOf, watching } from '../support/watching.js';
import { describeHosts, openWithin, order } from './hosts.js';

const said = (content: string) => [{ role: 'user', content }];

const live = { ...ada, start: true };

/** Each kind of write, on a session `chat` that is there before, and on new ones. */
const writes: Readonly<Record<string, (inside: SessionService) => Promise<unknown>>> = {
  create: (inside) => okOf(inside.create({ ...live, id: 'ghost-1', entries: said('ghost') })),
  fork: (inside) => okOf(inside.create({ ...ada, id: 'ghost-2', from: { id: 'chat' } })),
  getOrCreate: (inside) => okOf(inside.getOrCreate({ ...ada, id: 'ghost-3' })),
  append: (inside) => okOf(inside.append('chat', said('ghost'), { operationId: 'ghost' })),
  send: (inside) => okOf(inside.send('chat', { id: 'ghost', content: 'ghost' })),
  wake: (inside) => okOf(inside.wake('chat')),
  spend: (inside) => okOf(inside.spend('chat', { tokens: 3 }, { operationId: 'ghost-spend' })),
  update: (inside) => okOf(inside.update('chat', { labels: { ghost: 'ghost' } })),
  pause: (inside) => okOf(inside.pause('chat')),
  resume: (inside) => okOf(inside.resume('chat')),
  extend: (inside) => okOf(inside.extend('chat', { timeLimit: 900 })),
  withdraw: (inside) => okOf(inside.withdraw('chat')),
  cancel: (inside) => okOf(inside.cancel('chat')),
  redact: (inside) => okOf(inside.redact('chat', [1])),
  rewind: async (inside) => {
    const { position } = await okOf(inside.history('chat'));
    await okOf(inside.rewind('chat', { to: 1, ifPosition: position, entries: said('ghost') }));
  },
  terminate: (inside) => okOf(inside.terminate('ghost-1')),
  delete: (inside) => okOf(inside.delete('ghost-1')),
};

describeHosts('a transaction of the host', (kind) => {
  const open = async () => {
    const host = await openWithin(kind);
    const { sessions } = host;
    const input = { ...live, id: 'chat', timeLimit: 600, budget: { tokens: 1000 } };
    await okOf(sessions.create({ ...input, entries: said('one') }));
    await okOf(sessions.append('chat', said('two')));
    return host;
  };

  test("stores what every operation writes together with the host's rows, at its commit", async () => {
    const { sessions, begin, orders } = await open();
    const { transaction, inside } = await begin();
    await order(transaction, 'o-1');
    for (const write of Object.values(writes)) await write(inside);
    expect((await errorOf(sessions.get('ghost-2'))).type).toBe('not_found');
    expect(await orders()).toEqual([]);
    await transaction.commit();
    expect(await orders()).toEqual(['o-1']);
    const { history, labels, usage } = await okOf(sessions.get('chat'));
    expect(history.map(({ content }) => content)).toEqual(['', 'ghost']);
    expect({ labels, usage }).toEqual({ labels: { ghost: 'ghost' }, usage: { tokens: 3 } });
    expect((await errorOf(sessions.get('ghost-1'))).type).toBe('not_found');
    expect((await okOf(sessions.list({ labels: { ghost: 'ghost' } }))).total).toBe(1);
    expect((await okOf(sessions.list())).total).toBe(3);
    const again = { operationId: 'ghost' };
    expect(await okOf(sessions.append('chat', said('ghost'), again))).toMatchObject({
      repeated: true,
    });
  });

  test('leaves no row after a rollback, whatever was written', async () => {
    const { begin, rows, orders } = await open();
    const before = await rows();
    const { transaction, inside } = await begin();
    await order(transaction, 'o-1');
    for (const write of Object.values(writes)) await write(inside);
    await transaction.rollback();
    expect(await rows()).toEqual(before);
    expect(await orders()).toEqual([]);
  });

  test('leaves nothing at whichever write it is rolled back, while others write in groups', async () => {
    const { sessions, begin, rows, orders } = await open();
    const names = Array.from({ length: 10 }, (_, at) => `other-${at}`);
    for (const id of names) await okOf(sessions.create({ ...live, id }));
    const all = Object.values(writes);
    for (const last of all.keys()) {
      const { transaction, inside } = await begin();
      const written = names.map((id) => okOf(sessions.append(id, said(`turn ${last}`))));
      await order(transaction, `o-${last}`);
      for (const write of all.slice(0, last + 1)) await write(inside);
      await transaction.rollback();
      await Promise.all(written);
    }
    expect((await rows()).filter((row) => row.includes('ghost'))).toEqual([]);
    expect(await orders()).toEqual([]);
    for (const id of names)
      expect(await okOf(sessions.get(id))).toMatchObject({ historyCount: all.length });
    expect((await okOf(sessions.list())).total).toBe(names.length + 1);
  });

  test('reads its own writes, which others do not see', async () => {
    const { sessions, begin } = await open();
    const { transaction, inside } = await begin();
    await okOf(inside.append('chat', said('three')));
    await okOf(inside.send('chat', { id: 'm-1', content: 'Hello' }));
    await okOf(inside.create({ ...live, id: 'new', labels: { user: 'u-1' } }));
    expect(await okOf(inside.get('chat'))).toMatchObject({ historyCount: 3 });
    expect(await okOf(inside.inbox('chat'))).toMatchObject([{ id: 'm-1' }]);
    expect(await okOf(inside.history('chat', { after: 2 }))).toMatchObject({
      entries: [{ content: 'three' }],
    });
    expect(await okOf(inside.list({ labels: { user: 'u-1' } }))).toMatchObject({ total: 1 });
    expect(await okOf(inside.countWaiting())).toMatchObject({ count: 1 });
    const ids: string[] = [];
    for await (const each of inside.each()) ids.push(each._unsafeUnwrap().id);
    expect(ids.sort()).toEqual(['chat', 'new']);
    expect(await okOf(sessions.get('chat'))).toMatchObject({ historyCount: 2 });
    expect(await okOf(sessions.inbox('chat'))).toEqual([]);
    expect(await okOf(sessions.countWaiting())).toMatchObject({ count: 0 });
    expect((await okOf(sessions.list())).total).toBe(1);
    await transaction.rollback();
  });

  test('applies an operation once, inside and after its commit, and again after a rollback', async () => {
    const { sessions, begin } = await open();
    const once = { operationId: 'charge-1' };
    const first = await begin();
    expect(await okOf(first.inside.append('chat', said('three'), once))).toEqual({ position: 3 });
    const repeated = { position: 3, repeated: true };
    expect(await okOf(first.inside.append('chat', said('three'), once))).toEqual(repeated);
    await first.transaction.rollback();
    const second = await begin();
    expect(await okOf(second.inside.append('chat', said('three'), once))).toEqual({ position: 3 });
    await second.transaction.commit();
    expect(await okOf(sessions.append('chat', said('three'), once))).toEqual(repeated);
    expect(await okOf(sessions.get('chat'))).toMatchObject({ historyCount: 3 });
  });

  test('counts live sessions inside and outside the transaction', async () => {
    const { sessions, begin } = await openWithin(kind, { limits: { activeSessions: 2 } });
    await okOf(sessions.create({ ...live, id: 'one' }));
    const { transaction, inside } = await begin();
    await okOf(inside.create({ ...live, id: 'two' }));
    expect((await errorOf(inside.create({ ...live, id: 'three' }))).type).toBe('too_many_active');
    await okOf(inside.terminate('two'));
    await okOf(inside.create({ ...live, id: 'three' }));
    await transaction.rollback();
    await okOf(sessions.create({ ...live, id: 'four' }));
    expect((await errorOf(sessions.create({ ...live, id: 'five' }))).type).toBe('too_many_active');
  });

  test('notifies a watch after its commit, not before', async () => {
    const { sessions, store, begin } = await open();
    const watch = watching(sessions, 'chat');
    expect(briefOf(await watch.next())).toBe('snapshot ACTIVE one two');
    const next = watch.next();
    const latest = async () => (await store.events?.latest(''))?._unsafeUnwrap();
    const before = await latest();
    const { transaction, inside } = await begin();
    await okOf(inside.append('chat', said('three')));
    expect(await latest()).toBe(before);
    await transaction.commit();
    expect(briefOf(await next)).toBe('changed ACTIVE three');
  });

  test('continues after an error that the session causes', async () => {
    const { sessions, begin } = await open();
    const { transaction, inside } = await begin();
    expect((await errorOf(inside.append('nobody', said('x')))).type).toBe('not_found');
    expect((await errorOf(inside.create({ ...ada, id: 'chat' }))).type).toBe('id_taken');
    expect((await errorOf(inside.resume('chat'))).type).toBe('invalid_transition');
    await okOf(inside.append('chat', said('three')));
    await transaction.commit();
    expect(await okOf(sessions.get('chat'))).toMatchObject({ historyCount: 3 });
  });

  test('undoes what followed a savepoint of the host', async () => {
    const { sessions, begin } = await open();
    const { transaction, inside } = await begin();
    await okOf(inside.append('chat', said('three')));
    await transaction.query('SAVEPOINT colloquy');
    await okOf(inside.append('chat', said('four')));
    await transaction.query('ROLLBACK TO SAVEPOINT colloquy');
    await okOf(inside.append('chat', said('five')));
    await transaction.commit();
    const { history } = await okOf(sessions.get('chat'));
    expect(history.map(({ content }) => content)).toEqual(['one', 'two', 'three', 'five']);
  });

  test('uses the tenant and the fencing token of its service', async () => {
    const { sessions, begin } = await open();
    const theirs = sessions.forTenant('globex');
    const { transaction, inside } = await begin();
    await okOf(inside.forTenant('globex').create({ ...ada, id: 'chat' }));
    await transaction.commit();
    expect((await okOf(theirs.list())).total).toBe(1);
    const taken = await okOf(sessions.lease('chat', { holder: 'w', seconds: 30 }));
    await sessions.withLease('chat', { holder: 'w', seconds: 30 }, async (held) => {
      const next = await begin();
      await okOf(held.sessions.within(next.transaction.client).append('chat', said('three')));
      const { fencingToken } = taken;
      expect((await errorOf(next.inside.append('chat', said('x'), { fencingToken }))).type).toBe(
        'lease_lost',
      );
      await next.transaction.commit();
    });
    expect(await okOf(sessions.get('chat'))).toMatchObject({ historyCount: 3 });
  });
});
