import { describe, expect, onTestFinished, test } from 'vitest';
import type { SessionChange, SessionEvent, TenantChange } from '../../src/index.js';
import { okOf, openSessions, startedIn } from '../support/sessions.js';
import { openTold } from './told-log.js';

const said = [{ role: 'user', content: 'hello' }];

const summary = (item: SessionChange | TenantChange | 'end'): string => {
  if (item === 'end' || item.type === 'events_lost') return item === 'end' ? item : item.type;
  if (item.type === 'session.snapshot') return `snapshot ${item.sequence}`;
  return item.type === 'session.expiring' ? item.type : `${item.sessionId} ${item.sequence}`;
};

/** A started session, with a watcher of it and a watcher of all sessions. No event was logged yet. */
const open = async () => {
  const { store, log, made } = openTold();
  const { sessions } = openSessions({ store });
  const id = await startedIn(sessions);
  made();
  const follow = <T extends SessionChange | TenantChange>(
    items: AsyncIterable<{ _unsafeUnwrap(): T }>,
  ): { readonly next: () => Promise<string>; readonly position: () => string } => {
    const iterator = items[Symbol.asyncIterator]();
    onTestFinished(async () => {
      await iterator.return?.();
    });
    let position = '';
    return {
      next: async () => {
        const { value, done } = await iterator.next();
        if (done === true) return 'end';
        const item: T = value._unsafeUnwrap();
        position = item.position;
        return summary(item);
      },
      position: () => position,
    };
  };
  /** The events of a number of appends that were made and not logged. */
  const appended = async (count: number): Promise<readonly SessionEvent[]> => {
    for (let turn = 0; turn < count; turn += 1) await okOf(sessions.append(id, said));
    return made();
  };
  return { sessions, log, id, made, follow, appended };
};

const taken = async (next: () => Promise<string>, count: number): Promise<readonly string[]> => {
  const items: string[] = [];
  while (items.length < count) items.push(await next());
  return items;
};

describe('a log without some of the events', () => {
  test('is told to its watchers: by a snapshot, and by events_lost', async () => {
    const { sessions, log, id, follow, appended } = await open();
    const [one, all] = [follow(sessions.watch(id)), follow(sessions.watchAll())];
    await one.next();
    const first = all.next();
    const [a, b, ...rest] = await appended(4);
    if (a === undefined || b === undefined) throw new Error('no events');
    log.tell(a, ...rest);
    expect(await first).toBe(`${id} 3`);
    expect(await taken(one.next, 2)).toEqual([`${id} 3`, 'snapshot 6']);
    expect(await taken(all.next, 3)).toEqual(['events_lost', `${id} 5`, `${id} 6`]);
    // It was reported as missing.
    log.tell(b, ...(await appended(1)));
    expect([await one.next(), await all.next()]).toEqual([`${id} 7`, `${id} 7`]);
  });

  test('is told to who comes back where it ends too early', async () => {
    const { sessions, log, id, follow, appended } = await open();
    const one = follow(sessions.watch(id));
    await one.next();
    const [a, b] = await appended(3);
    if (!a || !b) throw new Error('no events');
    log.tell(a, b);
    const again = follow(sessions.watch(id, { from: one.position() }));
    expect(await taken(again.next, 3)).toEqual([`${id} 3`, `${id} 4`, 'snapshot 5']);
    log.tell(...(await appended(1)));
    expect(await again.next()).toBe(`${id} 6`);
  });
});

describe('who goes on after events_lost', () => {
  test('gets the events from there on of a tenant, and a snapshot of a session', async () => {
    const { sessions, log, id, follow, appended } = await open();
    const all = follow(sessions.watchAll());
    const first = all.next();
    const [a, , c] = await appended(3);
    if (!a || !c) throw new Error('no events');
    log.tell(a, c);
    expect([await first, await all.next()]).toEqual([`${id} 3`, 'events_lost']);
    const from = all.position();
    expect(await follow(sessions.watchAll({ from })).next()).toBe(`${id} 5`);
    const one = follow(sessions.watch(id, { from }));
    expect(await one.next()).toBe('snapshot 5');
    log.tell(...(await appended(1)));
    expect([await one.next(), await all.next(), await all.next()]).toEqual([`${id} 6`, `${id} 5`, `${id} 6`]);
  });
});

describe('where the log has lost its beginning', () => {
  test('who begins there gets a snapshot or events_lost, and then what is there', async () => {
    const { sessions, log, id, follow, appended } = await open();
    log.tell(...(await appended(10)));
    log.trim(2);
    for (const from of ['0', '0-0']) {
      expect(await taken(follow(sessions.watchAll({ from })).next, 3)).toEqual(['events_lost', `${id} 11`, `${id} 12`]);
      expect(await follow(sessions.watch(id, { from })).next()).toBe('snapshot 12');
    }
  });

  test('an event that came after events_lost does not come again, whoever finds the loss once more', async () => {
    const { sessions, log, id, follow, appended } = await open();
    log.tell(...(await appended(1)));
    const later = await appended(3);
    // The watch reads these from the log, before the notification of which all watches of the process read them.
    const onOpen = (): void => {
      log.put(...later);
      log.trim(2);
    };
    const all = follow(sessions.watchAll({ from: '0', onOpen }));
    expect(await taken(all.next, 3)).toEqual(['events_lost', `${id} 5`, `${id} 6`]);
    log.tell(...(await appended(1)));
    expect(await taken(all.next, 2)).toEqual(['events_lost', `${id} 7`]);
  });

  test('a snapshot has the position of its own moment: going on after it repeats nothing', async () => {
    const { sessions, log, id, follow, appended } = await open();
    const one = follow(sessions.watch(id));
    await one.next();
    const events = await appended(600);
    log.tell(...events);
    log.trim(1);
    const seen: string[] = [];
    while (!seen.at(-1)?.startsWith('snapshot')) seen.push(await one.next());
    expect(seen.at(-1)).toBe('snapshot 602');
    const from = one.position();
    let next = Promise.resolve('');
    await new Promise<void>((onOpen) => {
      next = follow(sessions.watch(id, { from, onOpen })).next();
    });
    log.tell(...(await appended(1)));
    expect(await next).toBe(`${id} 603`);
  });
});

describe('a burst', () => {
  test('of any length reaches a consumer that keeps reading, each event once and in order', async () => {
    const { sessions, log, id, follow, appended, made } = await open();
    const [one, all] = [follow(sessions.watch(id)), follow(sessions.watchAll())];
    await one.next();
    const first = all.next();
    const sessionIds = [id];
    while (sessionIds.length < 4) sessionIds.push(await startedIn(sessions));
    made();
    const events: SessionEvent[] = [...(await appended(1))];
    for (let turn = 0; turn < 12_000; turn += 1) {
      const [event] = await (async () => {
        const sessionId = sessionIds[turn % sessionIds.length] ?? id;
        await okOf(sessions.append(sessionId, said));
        return made();
      })();
      if (event !== undefined) events.push(event);
    }
    log.tell(...events.slice(0, 1));
    expect(await first).toBe(`${id} 3`);
    log.tell(...events.slice(1));
    const seen = new Map<string, number>([[id, 3]]);
    for (let turn = 0; turn < 12_000; turn += 1) {
      const [sessionId = '', sequence] = (await all.next()).split(' ');
      expect(Number(sequence)).toBe((seen.get(sessionId) ?? 2) + 1);
      seen.set(sessionId, Number(sequence));
      // A change while it is behind comes in its place.
      if (turn === 6000) log.tell(...(await appended(1)));
    }
    expect((await all.next()).startsWith(`${id} `)).toBe(true);
    for (let turn = 0; turn < 3002; turn += 1) expect(await one.next()).toBe(`${id} ${turn + 3}`);
  });

  test('is read from the log a page at a time, and no more once the consumer has caught up', async () => {
    const { sessions, log, id, follow, appended } = await open();
    const one = follow(sessions.watch(id));
    await one.next();
    log.tell(...(await appended(2000)));
    await taken(one.next, 2000);
    const { reads } = log;
    expect(reads).toBeLessThan(20);
    for (let turn = 0; turn < 20; turn += 1) {
      const next = one.next();
      log.tell(...(await appended(1)));
      await next;
    }
    // One for each wake of the feed, and none of the consumer.
    expect(log.reads - reads).toBeLessThanOrEqual(60);
  });
});
