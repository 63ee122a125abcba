import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { SessionChange, SessionService, SessionServiceOptions, WatchOptions } from '../../src/index.js';
import { CountedLog } from '../http/counted-log.js';
import { PATIENT_MS } from '../support/patience.js';
import { ada, okOf, openSessions, startedIn } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';

/** A store whose reads of the log and of sessions are counted. */
const open = (length = 100_000, options: Partial<SessionServiceOptions> = {}) => {
  const inner = new MemorySessionStore({ events: { length } });
  const log = new CountedLog(inner.events);
  const read = vi.spyOn(log, 'read');
  const original = inner.find.bind(inner);
  const find = vi.spyOn(inner, 'find');
  const { sessions } = openSessions({ ...options, store: changed(inner, { events: log }) });
  return { sessions, read, find, original };
};

const watching = (sessions: SessionService, id: string, options: WatchOptions = {}) => {
  const watch = sessions.watch(id, options)[Symbol.asyncIterator]();
  onTestFinished(async () => {
    await watch.return?.();
  });
  return async (): Promise<SessionChange> => {
    const { value, done } = await watch.next();
    if (done === true) throw new Error('the watch has ended');
    return value._unsafeUnwrap();
  };
};

/** A number of changes by other callers meanwhile. */
const others = async (sessions: SessionService, changes: number): Promise<void> => {
  const id = await startedIn(sessions.forTenant('others'));
  for (let turn = 0; turn < changes; turn += 1) {
    await okOf(sessions.forTenant('others').append(id, [{ role: 'user', content: 'x' }]));
  }
};

const said = [{ role: 'user', content: 'hello' }];
const sequenceOf = (change: SessionChange): number | undefined =>
  change.type === 'session.expiring' ? undefined : change.sequence;

const brief = (change: SessionChange) => [change.type, sequenceOf(change)];

describe('a watch that continues', () => {
  test('of which nothing is new costs no look at the events, whatever others have done', async () => {
    const { sessions, read } = open();
    const id = await startedIn(sessions);
    const first = watching(sessions, id);
    const positions = [(await first()).position];
    await okOf(sessions.append(id, said));
    positions.push((await first()).position);
    await others(sessions, 2000);
    read.mockClear();
    const isOpen = vi.fn();
    const next = watching(sessions, id, { from: positions[1] ?? '', onOpen: isOpen })();
    await vi.waitFor(() => expect(isOpen).toHaveBeenCalledTimes(1), { timeout: PATIENT_MS });
    const looks = read.mock.calls.length;
    expect(looks).toBeLessThanOrEqual(1);
    await okOf(sessions.pause(id));
    expect(brief(await next)).toEqual(['session.paused', 4]);
    // One event was missed after the snapshot.
    expect(brief(await watching(sessions, id, { from: positions[0] ?? '' })())).toEqual(['session.appended', 3]);
  });

  test('after more than is looked through for one reader gets a snapshot, and after less what was missed', async () => {
    const { sessions, read } = open();
    const id = await startedIn(sessions);
    const first = watching(sessions, id);
    const { position } = await first();
    await others(sessions, 800);
    await okOf(sessions.append(id, said));
    expect(brief(await watching(sessions, id, { from: position })())).toEqual(['session.appended', 3]);
    await okOf(sessions.append(id, said));
    const near = watching(sessions, id, { from: position });
    expect([brief(await near()), brief(await near())]).toEqual([
      ['session.appended', 3],
      ['session.appended', 4],
    ]);
    await others(sessions, 1200);
    await okOf(sessions.append(id, said));
    read.mockClear();
    for (const from of ['0', '0-0', position]) {
      const far = watching(sessions, id, { from });
      let change = await far();
      while (change.type !== 'session.snapshot') change = await far();
      expect(brief(change)).toEqual(['session.snapshot', 5]);
      await okOf(sessions.forTenant('others').create(ada));
    }
    // Pages of 500: three readers, 1,000 events each, and what they read while they follow.
    expect(read.mock.calls.length).toBeLessThan(3 * 4 + 20);
  });

  test('receives what it missed among its own events, however many', async () => {
    const { sessions } = open();
    const id = await startedIn(sessions);
    const { position } = await watching(sessions, id)();
    for (let turn = 0; turn < 12_000; turn += 1) await okOf(sessions.append(id, said));
    const again = watching(sessions, id, { from: position });
    for (let turn = 0; turn < 12_000; turn += 1) expect(sequenceOf(await again())).toBe(turn + 3);
  });

  test('knows the end from a position of the beginning, and gets a snapshot where the beginning is gone', async () => {
    const { sessions } = open(10);
    const id = await startedIn(sessions);
    await okOf(sessions.terminate(id));
    const whole = watching(sessions, id, { from: '0' });
    expect([brief(await whole()), brief(await whole()), brief(await whole())]).toEqual([
      ['session.created', 1],
      ['session.started', 2],
      ['session.terminated', 3],
    ]);
    await others(sessions, 20);
    expect(brief(await watching(sessions, id, { from: '0' })())).toEqual(['session.snapshot', 3]);
  });

  test('to another session of the same id receives the deletion, or a snapshot', async () => {
    // Of the clock that the log has, as in any process.
    const { sessions } = open(10, { clock: { now: () => Date.now() } });
    const input = { ...ada, idempotencyKey: 'lesson' };
    const { id } = await okOf(sessions.create(input));
    const first = watching(sessions, id);
    await first();
    await okOf(sessions.start(id));
    const { position } = await first();
    await okOf(sessions.delete(id));
    await okOf(sessions.create(input));
    await okOf(sessions.start(id));
    expect(brief(await watching(sessions, id, { from: position })())).toEqual(['session.deleted', 3]);
    await others(sessions, 20);
    await okOf(sessions.append(id, said));
    expect(brief(await watching(sessions, id, { from: position })())).toEqual(['session.snapshot', 3]);
  });

  test('that is not there, or no longer, is not_found, and the log is not read for it', async () => {
    const { sessions, read } = open();
    const id = await startedIn(sessions);
    const { position } = await watching(sessions, id)();
    await okOf(sessions.delete(id));
    await others(sessions, 100);
    read.mockClear();
    for (const [missing, from] of [
      ['nobody', '0'],
      [id, '0'],
      [id, position],
    ] as const) {
      const watch = sessions.watch(missing, { from })[Symbol.asyncIterator]();
      expect((await watch.next()).value?._unsafeUnwrapErr()).toMatchObject({ type: 'not_found', id: missing });
    }
    // The feed that others share reads without a scope.
    expect(read.mock.calls.filter((args) => Object(args)[3] !== undefined)).toEqual([]);
  });

  test('whose store has lost what it had seen gets a snapshot', async () => {
    const { sessions } = open();
    const id = await startedIn(sessions);
    const { position } = await watching(sessions, id)();
    const ahead = position.replace(/\d+$/, '7');
    expect(brief(await watching(sessions, id, { from: ahead })())).toEqual(['session.snapshot', 2]);
  });
});

describe('many watchers of one session', () => {
  test('share one read of it', async () => {
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
    const watchers = Array.from({ length: 100 }, () => watching(sessions, id));
    const first = watchers.slice(0, 50).map((next) => next());
    await vi.waitFor(() => expect(find).toHaveBeenCalledTimes(1), { timeout: PATIENT_MS });
    // What was asked for before they came is not for them.
    const second = watchers.slice(50).map((next) => next());
    await new Promise(setImmediate);
    await okOf(sessions.append(id, said));
    answer();
    for (const change of await Promise.all(first)) expect(brief(change)).toEqual(['session.snapshot', 3]);
    for (const change of await Promise.all(second)) expect(brief(change)).toEqual(['session.snapshot', 3]);
    expect(find).toHaveBeenCalledTimes(2);
  });

  test('go on when the reading fails, and share nothing that one of them can change', async () => {
    const { sessions, find, original } = open();
    const id = await startedIn(sessions);
    find.mockImplementationOnce(() => {
      throw new Error('the store is out of order');
    });
    const failing = sessions.watch(id)[Symbol.asyncIterator]();
    expect((await failing.next()).value?._unsafeUnwrapErr()).toMatchObject({ type: 'store_unavailable' });
    await okOf(sessions.append(id, said));
    find.mockImplementation(
      Object(async (...args: Parameters<typeof original>) =>
        original(...args).map((record) => structuredClone(record)),
      ),
    );
    const [one, other] = await Promise.all([watching(sessions, id)(), watching(sessions, id)()]);
    if (one.type !== 'session.snapshot' || other.type !== 'session.snapshot') throw new Error('no snapshot');
    expect(one.session.history).toBe(other.session.history);
    expect(() => Object(one.session.history).push('x')).toThrow(TypeError);
    expect(() => Object.assign(Object(one.session.history[0]), { content: 'x' })).toThrow(TypeError);
  });
});
