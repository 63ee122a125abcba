import { describe, expect, onTestFinished, test } from 'vitest';
import type { SessionEvent, TenantChange, WatchAllOptions } from '../../src/index.js';
import { okOf, openSessions, startedIn } from '../support/sessions.js';
import { briefOf, watching } from '../support/watching.js';
import { openScriptedLog } from './scripted-log.js';

const said = [{ role: 'user', content: 'hello' }];

const summary = (item: TenantChange | 'end'): string => {
  if (item === 'end' || item.type === 'events_lost') return item === 'end' ? item : item.type;
  return `${item.sessionId} ${item.sequence}`;
};

/** A started session, and a watcher of all sessions. No event was logged yet. */
const open = async () => {
  const { store, log, made } = openScriptedLog();
  const { sessions } = openSessions({ store });
  const id = await startedIn(sessions);
  made();
  const follow = (options: WatchAllOptions = {}) => {
    const iterator = sessions.watchAll(options)[Symbol.asyncIterator]();
    onTestFinished(async () => {
      await iterator.return?.();
    });
    let cursor = '';
    return {
      next: async (): Promise<string> => {
        const { value, done } = await iterator.next();
        if (done === true) return 'end';
        const item = value._unsafeUnwrap();
        cursor = item.cursor;
        return summary(item);
      },
      cursor: () => cursor,
    };
  };
  /** Makes a number of appends without logging them, and returns their events. */
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

describe('an event that is missing from the log', () => {
  test('is reported as events_lost to watches of the tenant', async () => {
    const { log, id, follow, appended } = await open();
    const all = follow();
    const first = all.next();
    const [a, b, ...rest] = await appended(4);
    if (a === undefined || b === undefined) throw new Error('no events');
    log.tell(a, ...rest);
    expect(await first).toBe(`${id} 3`);
    expect(await taken(all.next, 3)).toEqual(['events_lost', `${id} 5`, `${id} 6`]);
    // It was reported as missing.
    log.tell(b, ...(await appended(1)));
    expect(await all.next()).toBe(`${id} 7`);
  });

  test('changes nothing for a watch of a session', async () => {
    const { sessions, log, id, appended } = await open();
    const watch = watching(sessions, id);
    await watch.next();
    const [a, b, c] = await appended(3);
    if (!a || !b || !c) throw new Error('no events');
    log.tell(a, c);
    expect(briefOf(await watch.next())).toBe('changed ACTIVE hello hello hello');
    log.tell(b);
    const next = watch.next();
    log.tell(...(await appended(1)));
    expect(briefOf(await next)).toBe('changed ACTIVE hello');
  });
});

describe('a watch that resumes after events_lost', () => {
  test('yields the events that follow', async () => {
    const { log, id, follow, appended } = await open();
    const all = follow();
    const first = all.next();
    const [a, , c] = await appended(3);
    if (!a || !c) throw new Error('no events');
    log.tell(a, c);
    expect([await first, await all.next()]).toEqual([`${id} 3`, 'events_lost']);
    expect(await follow({ cursor: all.cursor() }).next()).toBe(`${id} 5`);
    log.tell(...(await appended(1)));
    expect([await all.next(), await all.next()]).toEqual([`${id} 5`, `${id} 6`]);
  });
});

describe('a log that lost its beginning', () => {
  test('reports events_lost to a watch that begins there, and then the remaining events', async () => {
    const { log, id, follow, appended } = await open();
    log.tell(...(await appended(10)));
    log.trim(2);
    for (const from of ['0', '0-0']) {
      expect(await taken(follow({ cursor: from }).next, 3)).toEqual([
        'events_lost',
        `${id} 11`,
        `${id} 12`,
      ]);
    }
  });

  test('reports events_lost again after a second loss', async () => {
    const { log, id, follow, appended } = await open();
    log.tell(...(await appended(4)));
    log.trim(2);
    const all = follow({ cursor: '0' });
    expect(await taken(all.next, 3)).toEqual(['events_lost', `${id} 5`, `${id} 6`]);
    const next = all.next();
    log.put(...(await appended(3)));
    log.trim(1);
    log.tell();
    expect([await next, await all.next()]).toEqual(['events_lost', `${id} 9`]);
  });
});

describe('a burst of events', () => {
  test('is delivered completely and in order to a consumer that keeps reading, however long it is', async () => {
    const { sessions, log, id, follow, appended, made } = await open();
    const all = follow();
    const first = all.next();
    const sessionIds = [id];
    while (sessionIds.length < 4) sessionIds.push(await startedIn(sessions));
    made();
    const events: SessionEvent[] = [...(await appended(1))];
    for (let turn = 0; turn < 12_000; turn += 1) {
      await okOf(sessions.append(sessionIds[turn % sessionIds.length] ?? id, said));
      events.push(...made());
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
  });

  test('is read from the log one page at a time, and not again once the consumer has caught up', async () => {
    const { log, follow, appended } = await open();
    const all = follow();
    const first = all.next();
    log.tell(...(await appended(2000)));
    await first;
    await taken(all.next, 1999);
    const { reads } = log;
    expect(reads).toBeLessThan(20);
    for (let turn = 0; turn < 20; turn += 1) {
      const next = all.next();
      log.tell(...(await appended(1)));
      await next;
    }
    expect(log.reads - reads).toBeLessThanOrEqual(80);
  });
});
