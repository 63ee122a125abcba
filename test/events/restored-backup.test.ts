import { expect, onTestFinished, test } from 'vitest';
import { SessionService } from '../../src/service/session-service.js';
import { describeDatabases, newDatabase } from '../support/databases.js';
import { olderCopyOf } from '../support/older-copy.js';
import { ada, createdIn, okOf, startedIn } from '../support/sessions.js';

const said = [{ role: 'user', content: 'hello' }];

/** Returns the next items of a watch, up to one that matches. */
const until = async <T extends { readonly type: string }>(
  watch: AsyncIterator<{ _unsafeUnwrap(): T }, unknown>,
  fits: (item: T) => boolean,
): Promise<readonly T[]> => {
  const items: T[] = [];
  for (;;) {
    const { value, done } = await watch.next();
    if (done === true) throw new Error(`the watch has ended after ${JSON.stringify(items)}`);
    const item = Object(value)._unsafeUnwrap();
    items.push(item);
    if (fits(item)) return items;
  }
};

const brief = (item: object): unknown =>
  'sequence' in item ? item.sequence : 'type' in item && item.type;

describeDatabases('a store restored from a backup', (kind) => {
  const open = async () => {
    const database = await newDatabase(kind);
    const [sessions, other] = [database.open(), database.open()].map(
      (store) => new SessionService({ store }),
    );
    if (sessions === undefined || other === undefined) throw new Error('there are two services');
    const id = await startedIn(other);
    const watch = sessions.watch(id)[Symbol.asyncIterator]();
    const all = sessions.watchAll()[Symbol.asyncIterator]();
    onTestFinished(async () => {
      await Promise.all([watch.return?.(), all.return?.()]);
    });
    await watch.next();
    const first = all.next();
    await new Promise((resolve) => {
      const opening = sessions
        .watchAll({ onOpen: () => resolve(undefined) })
        [Symbol.asyncIterator]();
      void opening.next();
      onTestFinished(async () => {
        await opening.return?.();
      });
    });
    await okOf(other.append(id, said));
    await first;
    await until(watch, (item) => brief(item) === 3);
    const putBack = await olderCopyOf(database.address);
    for (let turn = 0; turn < 3; turn += 1) await okOf(other.append(id, said));
    await until(watch, (item) => brief(item) === 6);
    const lost = await until(all, (item) => brief(item) === 6);
    return { sessions, other, id, watch, all, putBack, cursor: lost.at(-1)?.cursor ?? '' };
  };

  test('notifies its watches immediately, and then of changes that reuse earlier sequences', async () => {
    const { other, id, watch, all, putBack } = await open();
    await putBack();
    const lost = all.next();
    const snapshot = await watch.next();
    expect(snapshot.value?._unsafeUnwrap()).toMatchObject({
      type: 'session.snapshot',
      sequence: 3,
    });
    expect((await lost).value?._unsafeUnwrap()).toMatchObject({ type: 'events_lost' });
    for (let turn = 0; turn < 2; turn += 1) await okOf(other.append(id, said));
    const told = await until(watch, (item) => brief(item) === 5);
    expect(told.map(({ type }) => type)).toEqual(told.map(() => 'session.changed'));
    expect(told.flatMap((item) => Object(item).entries)).toHaveLength(2);
    expect((await until(all, (item) => brief(item) === 5)).map(brief)).toEqual([4, 5]);
  });

  test('reports events_lost to a watch that resumes after a lost change, even if a later change has its sequence', async () => {
    const { sessions, other, id, putBack, cursor } = await open();
    await putBack();
    for (let turn = 0; turn < 3; turn += 1) await okOf(other.append(id, said));
    const again = sessions.watchAll({ cursor: cursor })[Symbol.asyncIterator]();
    onTestFinished(async () => {
      await again.return?.();
    });
    expect((await again.next()).value?._unsafeUnwrap()).toMatchObject({ type: 'events_lost' });
  });

  test('reports events_lost even if as many changes followed as were lost', async () => {
    const { sessions, other, id, watch, all, putBack } = await open();
    await putBack();
    const added = await createdIn(other);
    for (let turn = 0; turn < 4; turn += 1) await okOf(other.append(id, said));
    const told = await until(watch, (item) => brief(item) === 7);
    expect(told.map(({ type }) => type)).toContain('session.snapshot');
    const others = await until(all, (item) => brief(item) === 7);
    expect(others[0]).toMatchObject({ type: 'events_lost' });
    // Nothing after the loss refers to a missing session.
    expect((await okOf(sessions.get(added))).options).toMatchObject(ada);
    expect(others.map(brief).slice(-3)).toEqual([5, 6, 7]);
  });
});
