import { err } from 'neverthrow';
import { describe, expect, onTestFinished, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { SessionService, type TenantChange, type WatchAllOptions } from '../../src/index.js';
import { corruptRecord, storeUnavailable } from '../../src/session/errors.js';
import { rewindTo } from '../support/rewind-to.js';
import { ada, okOf, startedIn } from '../support/sessions.js';
import type { Changes } from '../support/store-doubles.js';
import { changed } from '../support/store-doubles.js';

const said = (...contents: readonly string[]) =>
  contents.map((content) => ({ role: 'user', content }));

const open = (changes: (store: MemorySessionStore) => Changes = () => ({})) => {
  const inner = new MemorySessionStore({ events: true });
  const store = changed(inner, { events: inner.events, ...changes(inner) });
  return { store, sessions: new SessionService({ store }) };
};

/** A watch of all that is in the log, with entries and sessions. */
const watching = (
  sessions: SessionService,
  options: WatchAllOptions = { entries: true, sessions: true },
) => {
  const watch = sessions.watchAll({ cursor: '0', ...options })[Symbol.asyncIterator]();
  onTestFinished(async () => {
    await watch.return?.();
  });
  const next = async (): Promise<TenantChange> => (await watch.next()).value._unsafeUnwrap();
  return {
    next,
    appended: async () => {
      for (;;) {
        const item = await next();
        if (item.type === 'session.appended') return item;
      }
    },
  };
};

const contentsOf = (item: Awaited<ReturnType<ReturnType<typeof watching>['appended']>>) =>
  item.entries?.map(({ content }) => content);

describe('an append that watchAll delivers with entries', () => {
  test('contains the appended entries with their positions', async () => {
    const { sessions } = open();
    const id = await startedIn(sessions);
    const first = await okOf(sessions.append(id, said('one', 'two')));
    const second = await okOf(sessions.append(id, said('three')));
    const watch = watching(sessions);
    const [one, two] = [await watch.appended(), await watch.appended()];
    expect([contentsOf(one), contentsOf(two)]).toEqual([['one', 'two'], ['three']]);
    expect(one).toMatchObject({ start: 0, historyPosition: first.position });
    expect(two).toMatchObject({ start: first.position, historyPosition: second.position });
    expect(two.entries?.map(({ position }) => position)).toEqual([second.position]);
    expect(one).not.toHaveProperty('hasMore');
  });

  test('omits entries that were superseded since, and the content of redacted ones', async () => {
    const { sessions } = open();
    const id = await startedIn(sessions);
    const { position } = await okOf(sessions.append(id, said('secret')));
    await okOf(sessions.append(id, said('wrong')));
    await okOf(rewindTo(sessions, id, position, said('right')));
    await okOf(sessions.redact(id, [position]));
    const watch = watching(sessions);
    expect(contentsOf(await watch.appended())).toEqual(['']);
    expect(contentsOf(await watch.appended())).toEqual([]);
    expect(contentsOf(await watch.appended())).toEqual(['right']);
  });

  test('omits entries of another session that took the id', async () => {
    const { sessions } = open();
    const input = { ...ada, start: true, idempotencyKey: 'lesson' };
    const { id } = await okOf(sessions.create(input));
    await okOf(sessions.append(id, said('first')));
    await okOf(sessions.delete(id));
    await okOf(sessions.create(input));
    await okOf(sessions.append(id, said('second')));
    const watch = watching(sessions);
    const [one, two] = [await watch.appended(), await watch.appended()];
    expect([one.entries, one.session]).toEqual([undefined, undefined]);
    expect([contentsOf(two), two.session?.id]).toEqual([['second'], id]);
  });

  test('contains at most 1,000 entries, and reports that there are more', async () => {
    const { sessions } = open();
    const source = await startedIn(sessions);
    const contents = Array.from({ length: 1001 }, (_, at) => `entry ${at}`);
    await okOf(sessions.append(source, said(...contents.slice(0, 600))));
    await okOf(sessions.append(source, said(...contents.slice(600))));
    const fork = await okOf(sessions.create({ ...ada, from: { id: source } }));
    const watch = watching(sessions);
    await watch.appended();
    await watch.appended();
    const forked = await watch.appended();
    expect([forked.sessionId, forked.hasMore, contentsOf(forked)]).toEqual([
      fork.id,
      true,
      contents.slice(0, 1000),
    ]);
  });

  test('contains neither entries nor the session unless the watch asks for them', async () => {
    const { sessions } = open();
    const id = await startedIn(sessions);
    await okOf(sessions.append(id, said('one')));
    const appended = await watching(sessions, {}).appended();
    expect(Object.keys(appended)).not.toContain('entries');
    expect(Object.keys(appended)).not.toContain('session');
  });
});

describe('an event that watchAll delivers with its session', () => {
  test('contains the current session without its history', async () => {
    const { sessions } = open();
    const { id } = await okOf(sessions.create({ ...ada, labels: { user: 'u-1' } }));
    await okOf(sessions.start(id));
    const created = await watching(sessions).next();
    const { history, ...session } = await okOf(sessions.get(id));
    const { duration, durationMs, ...same } = session;
    expect(created).toMatchObject({
      type: 'session.created',
      session: { ...same, labels: { user: 'u-1' } },
    });
    expect(Object(created).session).not.toHaveProperty('history');
  });

  test('contains no session if that was deleted', async () => {
    const { sessions } = open();
    const id = await startedIn(sessions);
    await okOf(sessions.delete(id));
    expect(Object.keys(await watching(sessions).next())).not.toContain('session');
  });
});

describe('event contents that cannot be read', () => {
  test('are read again after an outage', async () => {
    let outages = 3;
    const { sessions } = open((inner) => ({
      find: (...args) => {
        outages -= 1;
        return outages < 0 ? inner.find(...args) : err(storeUnavailable('down', 'not_applied'));
      },
    }));
    const id = await startedIn(sessions);
    await okOf(sessions.append(id, said('one')));
    outages = 3;
    const appended = await watching(sessions).appended();
    expect([appended.session?.id, contentsOf(appended)]).toEqual([id, ['one']]);
  });

  test('are omitted if they are damaged', async () => {
    const { sessions } = open(() => ({
      find: () => err(corruptRecord('s1', 'damaged')),
      entries: () => err(corruptRecord('s1', 'damaged')),
    }));
    await okOf(sessions.create({ ...ada, start: true, entries: said('one') }));
    const appended = await watching(sessions).appended();
    expect([appended.session, appended.entries]).toEqual([undefined, undefined]);
  });
});

test('watches at the same position share their reads', async () => {
  let reads = 0;
  const { sessions } = open((inner) => ({
    entries: (...args) => {
      reads += 1;
      return inner.entries(...args);
    },
  }));
  const id = await startedIn(sessions);
  await okOf(sessions.append(id, said('one')));
  const watches = Array.from({ length: 100 }, () => watching(sessions));
  const all = await Promise.all(watches.map((watch) => watch.appended()));
  expect(all.map(contentsOf)).toEqual(all.map(() => ['one']));
  expect(reads).toBeLessThan(5);
});

test.each(['entries', 'sessions', 'leases'])('%s must be true or false', async (name) => {
  const { sessions } = open();
  const options: WatchAllOptions = Object({ [name]: 'yes' });
  const { value } = await sessions.watchAll(options)[Symbol.asyncIterator]().next();
  expect(Object(value)._unsafeUnwrapErr()).toMatchObject({
    type: 'invalid_input',
    issues: [{ path: name, message: 'must be true or false' }],
  });
});
