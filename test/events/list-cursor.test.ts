import { err, ok } from 'neverthrow';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { RedisSessionStore } from '../../adapters/redis/index.js';
import { SqliteSessionStore } from '../../adapters/sqlite/index.js';
import { SessionService, type TenantChange } from '../../src/index.js';
import { storeUnavailable } from '../../src/session/errors.js';
import type { EventLog, SessionStore } from '../../src/store/session-store.js';
import { describeDatabases, newDatabase } from '../support/databases.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { openClient } from '../support/redis-clients.js';
import { call, createdIn, errorOf, okOf, openSessions } from '../support/sessions.js';
import { openLibsql } from '../support/sqlite-file.js';
import { changed } from '../support/store-doubles.js';

const ROUNDS = 15;

const listed = (sessions: SessionService) =>
  okOf(sessions.list({ historyLimit: 0, limit: 100 }, { withWatchCursor: true }));

const watching = (
  sessions: SessionService,
  from?: string,
  onOpen = () => {},
): (() => Promise<TenantChange>) => {
  const end = new AbortController();
  const watch = sessions
    .watchAll({ signal: end.signal, onOpen, ...(from && { cursor: from }) })
    [Symbol.asyncIterator]();
  onTestFinished(() => end.abort());
  return async () => {
    const { value, done } = await watch.next();
    if (done === true) throw new Error('the watch has ended');
    return value._unsafeUnwrap();
  };
};

const sessionOf = (item: TenantChange): string =>
  item.type === 'events_lost' ? item.type : item.sessionId;

/** The sessions of the events up to that of one session. */
const until = async (next: () => Promise<TenantChange>, id: string): Promise<readonly string[]> => {
  const given: string[] = [];
  while (given.at(-1) !== id) given.push(sessionOf(await next()));
  return given;
};

describeDatabases('a list and the watch that resumes after it', (kind) => {
  const open = async () => {
    const database = await newDatabase(kind);
    return {
      sessions: new SessionService({ store: database.open() }),
      other: new SessionService({ store: database.open() }),
    };
  };

  test('start with the first event if nothing has happened yet', async () => {
    const { sessions, other } = await open();
    const { watchCursor: cursor } = await listed(sessions);
    const next = watching(sessions, cursor);
    const id = await createdIn(other);
    expect(await next()).toMatchObject({ type: 'session.created', sessionId: id });
  });

  test('show every session that another process creates before, during or after', async () => {
    const { sessions, other } = await open();
    watching(sessions)().catch(() => undefined);
    for (let round = 0; round < ROUNDS; round += 1) {
      const meanwhile = Promise.all([createdIn(other), createdIn(other)]);
      const page = await listed(sessions);
      const last = await createdIn(other);
      const next = watching(sessions, page.watchCursor);
      const created = [...(await meanwhile), last];
      const marker = await createdIn(other);
      const shown = [...page.sessions.map(({ id }) => id), ...(await until(next, marker))];
      expect(shown).toEqual(expect.arrayContaining([...created, marker]));
      expect(shown).not.toContain('events_lost');
    }
  });
});

describe('the cursor of a list', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  const open = () => {
    const store = new MemorySessionStore({ events: true });
    const { events } = store;
    if (events === undefined) throw new Error('the store has no events');
    const withLog = (changes: Partial<EventLog>): SessionStore =>
      changed(store, {
        events: {
          streamOf: () => events.streamOf(),
          latest: () => events.latest(),
          now: () => events.now(),
          read: (...args) => events.read(...args),
          listen: (listener) => events.listen(listener),
          ...changes,
        },
      });
    return { store, events, withLog };
  };

  test('is read before the page, so that a watch yields changes in between', async () => {
    const { store, events } = open();
    const { sessions } = openSessions({ store });
    const page: SessionStore['page'] = async (...args) => {
      const found = store.page(...args);
      await createdIn(sessions);
      return found;
    };
    const late = openSessions({ store: changed(store, { events, page }) });
    const { watchCursor: cursor, total } = await listed(late.sessions);
    expect(total).toBe(0);
    expect(await watching(sessions, cursor)()).toMatchObject({
      type: 'session.created',
      sessionId: 's1',
    });
  });

  test('reveals nothing about other tenants', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { store } = open();
    const { sessions } = openSessions({ store });
    await createdIn(sessions.forTenant('globex'));
    vi.setSystemTime(Date.now() + 60_000);
    const { watchCursor: cursor } = await listed(sessions);
    await createdIn(sessions.forTenant('globex'));
    expect([cursor, (await listed(sessions)).watchCursor]).toEqual([
      String(Date.now()),
      String(Date.now()),
    ]);
  });

  test('costs nothing unless it is requested', async () => {
    const { withLog } = open();
    const now = vi.fn(() => ok(1));
    const { sessions } = openSessions({ store: withLog({ now }) });
    for (const options of [{}, { withWatchCursor: false }])
      expect(await okOf(sessions.list({}, options))).not.toHaveProperty('watchCursor');
    expect(now).not.toHaveBeenCalled();
    expect(await listed(sessions)).toHaveProperty('watchCursor', '1');
  });

  test('fails the list if it cannot be read', async () => {
    const { withLog } = open();
    const gone = err(storeUnavailable('the store is not there', 'not_applied'));
    const { sessions } = openSessions({ store: withLog({ now: () => gone }) });
    expect(await errorOf(sessions.list({}, { withWatchCursor: true }))).toMatchObject({
      type: 'store_unavailable',
    });
    expect(await errorOf(call(sessions, 'list', {}, { withWatchCursor: 'yes' }))).toMatchObject({
      type: 'invalid_input',
      issues: [{ path: 'withWatchCursor' }],
    });
  });

  test('is absent if the store has no events', async () => {
    const sqlite = new SqliteSessionStore({ database: openLibsql(':memory:') });
    (await sqlite.migrate())._unsafeUnwrap();
    for (const store of [new MemorySessionStore(), sqlite])
      expect(await listed(new SessionService({ store }))).not.toHaveProperty('watchCursor');
  });
});

describeWithRedis('the cursor of a Redis list', ({ port }) => {
  test('is absent if the store has no events', async () => {
    const client = openClient('ioredis 5', { port });
    const store = new RedisSessionStore({ client, prefix: `list-cursor-${process.pid}` });
    expect(await listed(new SessionService({ store }))).not.toHaveProperty('watchCursor');
  });
});
