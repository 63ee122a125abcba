import { describe, expect, test, vi } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { SessionService } from '../../src/index.js';
import { PATIENT_MS } from '../support/patience.js';
import { rewindTo } from '../support/rewind-to.js';
import { ada, okOf, openSessions, startedIn } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';
import { briefOf, cursorOf, watching } from '../support/watching.js';

/** A store whose reads of sessions are counted, and which keeps the last two events. */
const open = () => {
  const store = new MemorySessionStore({ events: { length: 2 } });
  const original = store.find.bind(store);
  const find = vi.spyOn(store, 'find');
  const { sessions, clock } = openSessions({ store });
  return { store, sessions, clock, find, original };
};

const said = (content: string) => [{ role: 'user', content }];

/** A session in which `one` was said, and the cursor of a watcher who has seen that. */
const seen = async (sessions: SessionService) => {
  const id = await startedIn(sessions);
  const { position } = await okOf(sessions.append(id, said('one')));
  const cursor = cursorOf(await watching(sessions, id).next());
  return { id, position, cursor };
};

describe('a watch that resumes after a cursor', () => {
  test('yields what has changed since, without a snapshot', async () => {
    const { sessions } = open();
    const { id, cursor } = await seen(sessions);
    await okOf(sessions.pause(id));
    await okOf(sessions.resume(id));
    await okOf(sessions.append(id, said('two')));
    const again = watching(sessions, id, { cursor: cursor });
    const change = await again.next();
    expect(briefOf(change)).toBe('changed ACTIVE two');
    await okOf(sessions.pause(id));
    expect(briefOf(await again.next())).toBe('changed PAUSED');
    expect(briefOf(await watching(sessions, id, { cursor: cursorOf(change) }).next())).toBe(
      'changed PAUSED',
    );
  });

  test('yields everything that was appended since, even if the log keeps only the last two events', async () => {
    const { sessions } = open();
    const { id, cursor } = await seen(sessions);
    for (let turn = 0; turn < 3000; turn += 1) await okOf(sessions.append(id, said(`${turn}`)));
    const change = await watching(sessions, id, { cursor: cursor }).next();
    expect(
      Object(change).entries.map(({ content }: { content: string }) => Number(content)),
    ).toEqual(Array.from({ length: 3000 }, (_, at) => at));
  });

  test('waits after one read of the session if nothing changed since', async () => {
    const { sessions, find } = open();
    const { id, cursor } = await seen(sessions);
    find.mockClear();
    const isOpen = vi.fn();
    const next = watching(sessions, id, { cursor: cursor, onOpen: isOpen }).next();
    await vi.waitFor(() => expect(isOpen).toHaveBeenCalledTimes(1), { timeout: PATIENT_MS });
    expect(find).toHaveBeenCalledTimes(1);
    await okOf(sessions.append(id, said('two')));
    expect(briefOf(await next)).toBe('changed ACTIVE two');
  });

  test('resumes over another store of the same sessions', async () => {
    const { store, sessions } = open();
    const { id, cursor } = await seen(sessions);
    const other = openSessions({ store: changed(store, { events: store.events }) }).sessions;
    await okOf(other.append(id, said('two')));
    expect(briefOf(await watching(other, id, { cursor: cursor }).next())).toBe(
      'changed ACTIVE two',
    );
  });

  test('yields an end that it missed, and repeats one that it has seen', async () => {
    const { sessions } = open();
    const { id, cursor } = await seen(sessions);
    await okOf(sessions.terminate(id));
    const watch = watching(sessions, id, { cursor: cursor });
    const end = await watch.next();
    expect([briefOf(end), await watch.next()]).toEqual(['changed TERMINATED terminated', 'end']);
    const late = watching(sessions, id, { cursor: cursorOf(end) });
    expect([briefOf(await late.next()), await late.next()]).toEqual([
      'changed TERMINATED terminated',
      'end',
    ]);
  });

  test.each(['a rewind', 'a redaction', 'a session created anew'])(
    'yields a snapshot after %s',
    async (change) => {
      const { sessions } = open();
      const input = { ...ada, idempotencyKey: 'lesson' };
      const { id } = await okOf(sessions.create(input));
      await okOf(sessions.start(id));
      const { position } = await okOf(sessions.append(id, said('one')));
      const cursor = cursorOf(await watching(sessions, id).next());
      if (change === 'a rewind') await okOf(rewindTo(sessions, id, 0, said('two')));
      if (change === 'a redaction') await okOf(sessions.redact(id, [position]));
      if (change === 'a session created anew') {
        await okOf(sessions.delete(id));
        await okOf(sessions.create(input));
        await okOf(sessions.start(id));
        await okOf(sessions.append(id, said('one')));
      }
      expect(await watching(sessions, id, { cursor: cursor }).next()).toMatchObject({
        type: 'session.snapshot',
      });
    },
  );

  test.each([
    [
      'ahead of the session, as after a restored backup',
      (cursor: string) => cursor.replace(/^\d+/, '99'),
    ],
    ['ahead of the history', (cursor: string) => cursor.replace(/^(\d+-\d+)-\d+/, '$1-99')],
    [
      'of another last entry',
      (cursor: string) => cursor.replace(/^((?:[^-]+-){4})[^-]+/, '$100000000'),
    ],
    ['of another history', (cursor: string) => `${cursor}0`],
  ])('yields a snapshot if its cursor is %s', async (_, changedBy) => {
    const { sessions } = open();
    const { id, cursor } = await seen(sessions);
    const from = changedBy(cursor);
    expect(from).not.toBe(cursor);
    expect(briefOf(await watching(sessions, id, { cursor: from }).next())).toBe(
      'snapshot ACTIVE one',
    );
  });

  test('fails with not_found for a missing or deleted session', async () => {
    const { sessions } = open();
    const { id, cursor } = await seen(sessions);
    await okOf(sessions.delete(id));
    for (const missing of ['nobody', id]) {
      const error = await watching(sessions, missing, { cursor: cursor }).error();
      expect(error).toMatchObject({ type: 'not_found', id: missing });
    }
  });

  const junk = [
    '',
    'x',
    '0',
    '0-0',
    '1-2-3',
    '1769882520000-kR3v-w0aT_1x.4',
    `1-1-1-00000000-00000000-${'x'.repeat(65)}`,
  ];
  test.each(junk)('rejects %j, which is not a cursor', async (from) => {
    const { sessions } = open();
    const error = await watching(sessions, 'any', { cursor: from }).error();
    expect(error).toMatchObject({ type: 'invalid_input', issues: [{ path: 'cursor' }] });
  });
});

describe('a change without an event', () => {
  test('is found within 30 seconds by a read of the session', async () => {
    const inner = new MemorySessionStore({ events: true });
    const silent = new MemorySessionStore({ events: true }).events;
    const { sessions, clock } = openSessions({ store: changed(inner, { events: silent }) });
    const id = await startedIn(sessions);
    const watch = watching(sessions, id);
    await watch.next();
    const next = watch.next();
    await okOf(sessions.append(id, said('one')));
    await expect.poll(() => clock.waiting).toBe(1);
    clock.pass(30_000);
    expect(briefOf(await next)).toBe('changed ACTIVE one');
  });
});

describe('many watches of one session', () => {
  test('share one read of the session', async () => {
    const { sessions, find, original } = open();
    const id = await startedIn(sessions);
    let answer = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    find.mockImplementation(
      Object(async (...args: Parameters<typeof original>) => {
        await held;
        return original(...args);
      }),
    );
    const watchers = Array.from({ length: 100 }, () => watching(sessions, id).next);
    const first = watchers.slice(0, 50).map((next) => next());
    await vi.waitFor(() => expect(find).toHaveBeenCalledTimes(1), { timeout: PATIENT_MS });
    // Later watches do not share a read that was requested before they came.
    const second = watchers.slice(50).map((next) => next());
    await new Promise(setImmediate);
    await okOf(sessions.append(id, said('one')));
    answer();
    for (const change of await Promise.all([...first, ...second])) {
      expect(briefOf(change)).toBe('snapshot ACTIVE one');
    }
    expect(find).toHaveBeenCalledTimes(2);
  });

  test('continue after a failed read, and share no mutable data', async () => {
    const { sessions, find, original } = open();
    const id = await startedIn(sessions);
    find.mockImplementationOnce(() => {
      throw new Error('the store is out of order');
    });
    const failing = sessions.watch(id)[Symbol.asyncIterator]();
    expect((await failing.next()).value?._unsafeUnwrapErr()).toMatchObject({
      type: 'store_unavailable',
    });
    await okOf(sessions.append(id, said('one')));
    find.mockImplementation(
      Object(async (...args: Parameters<typeof original>) =>
        original(...args).map((record) => structuredClone(record)),
      ),
    );
    const [one, other] = await Promise.all([
      watching(sessions, id).next(),
      watching(sessions, id).next(),
    ]);
    const { history } = Object(one).session;
    expect(history).toBe(Object(other).session.history);
    expect(() => history.push('x')).toThrow(TypeError);
    expect(() => Object.assign(history[0], { content: 'x' })).toThrow(TypeError);
  });
});
