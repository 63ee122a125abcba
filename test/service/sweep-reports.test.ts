import { err } from 'neverthrow';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  createSweeper,
  type EndedSession,
  SessionService,
  type SweeperOptions,
} from '../../src/index.js';
import { storeUnavailable } from '../../src/session/errors.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { pass, passUntil } from '../support/manual-clock.js';
import { PATIENT_MS } from '../support/patience.js';
import { errorOf, okOf, openSessions, startedIn } from '../support/sessions.js';
import type { Changes } from '../support/store-doubles.js';
import { changed } from '../support/store-doubles.js';

const MINUTE = 60_000;

const told: string[] = [];
const errors: { readonly type: string }[] = [];
const unhandled = vi.fn();

beforeEach(() => {
  told.length = 0;
  errors.length = 0;
  unhandled.mockClear();
  process.on('unhandledRejection', unhandled);
});

afterEach(() => {
  process.off('unhandledRejection', unhandled);
});

const onEnded = ({ id }: { readonly id: string }) => told.push(id);
const onError = (error: { readonly type: string }) => errors.push(error);

const sweep = (sessions: SessionService, options: SweeperOptions = {}) =>
  okOf(createSweeper(sessions, { onEnded, onError, ...options }).sweepOnce());

/** Overdue sessions, with services whose stores fail. */
const openDue = async (count = 1, retention = 0) => {
  const { sessions, store, clock } = openSessions({ retention, reportEnds: true });
  const ids: string[] = [];
  while (ids.length < count) ids.push(await startedIn(sessions, { timeLimit: 1 }));
  clock.pass(1000);
  const over = (changes: (inner: SessionStore) => Changes) =>
    new SessionService({ store: changed(store, changes(store)), clock, retention });
  return { sessions, store, clock, ids, over };
};

describe('the report of an overdue session', () => {
  test.each([
    [
      'throws',
      () => {
        throw new Error('no');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no'))],
    [
      'rejects later',
      async () => {
        await new Promise(setImmediate);
        throw new Error('no');
      },
    ],
  ])(
    'is repeated a minute later if onEnded %s, without an unhandled rejection',
    async (_, failing) => {
      const { sessions, clock, ids } = await openDue();
      expect(await sweep(sessions, { onEnded: failing })).toEqual({
        ended: 1,
        reported: 0,
        deleted: 0,
        failed: 1,
      });
      expect(errors).toMatchObject([
        { type: 'listener_failed', id: ids[0], cause: { message: 'no' } },
      ]);
      expect(await okOf(sessions.get(String(ids[0])))).toMatchObject({ status: 'TERMINATED' });
      clock.pass(MINUTE - 1);
      expect(await sweep(sessions)).toEqual({ ended: 0, reported: 0, deleted: 0, failed: 0 });
      clock.pass(1);
      expect(await sweep(sessions)).toEqual({ ended: 0, reported: 1, deleted: 0, failed: 0 });
      clock.pass(10 * MINUTE);
      await sweep(sessions);
      expect(told).toEqual(ids);
      await new Promise(setImmediate);
      expect(unhandled).not.toHaveBeenCalled();
    },
  );

  test('is sent by another process if the first one died', async () => {
    const { sessions, clock, ids } = await openDue(3);
    void createSweeper(sessions, { onEnded: () => new Promise(() => {}) }).sweepOnce();
    await vi.waitFor(async () => expect(await okOf(sessions.list())).toMatchObject({ total: 3 }), {
      timeout: PATIENT_MS,
    });
    await new Promise(setImmediate);
    await sweep(sessions);
    expect(told).toEqual([]);
    clock.pass(MINUTE);
    await sweep(sessions);
    expect(told).toEqual(ids);
  });

  test('is repeated a minute later if the reply to its write was lost', async () => {
    const { sessions, clock, ids, over } = await openDue(5);
    const lost = over((inner) => ({
      put: async (commit) => {
        await inner.change(commit);
        return err(storeUnavailable('no answer', 'unknown'));
      },
    }));
    expect(await sweep(lost)).toMatchObject({ ended: 0, failed: 5 });
    clock.pass(MINUTE);
    await sweep(sessions);
    expect(told.toSorted()).toEqual(ids.toSorted());
  });

  test.each([
    ['first', 'its end and its claim', false],
    ['second', 'that it was told', true],
  ] as const)(
    'is sent if the %s replace of a sweep, of %s, is refused',
    async (which, _, isTold) => {
      const { sessions, clock, ids, over } = await openDue();
      let calls = 0;
      const refused = over((inner) => ({
        put: (commit) => {
          calls += 1;
          const isRefused = calls === (which === 'first' ? 1 : 2);
          if (isRefused) return err(storeUnavailable('no', 'not_applied'));
          return inner.change(commit);
        },
      }));
      expect(await sweep(refused)).toMatchObject({ failed: 1 });
      clock.pass(MINUTE);
      await sweep(sessions);
      expect(told).toEqual(isTold ? [...ids, ...ids] : ids);
    },
  );

  test('is sent once if the host deletes the session during the report', async () => {
    const { sessions, clock, ids } = await openDue();
    const deleting = async ({ id }: { readonly id: string }) => {
      told.push(id);
      await okOf(sessions.delete(id));
    };
    expect(await sweep(sessions, { onEnded: deleting })).toMatchObject({ reported: 1, failed: 0 });
    clock.pass(10 * MINUTE);
    await sweep(sessions);
    expect(told).toEqual(ids);
  });

  test('is sent once if labels change during the report, and the labels stay', async () => {
    const { sessions, clock, ids } = await openDue();
    const labelling = async ({ id }: { readonly id: string }) => {
      told.push(id);
      await okOf(sessions.update(id, { labels: { billed: 'yes' } }));
    };
    expect(await sweep(sessions, { onEnded: labelling })).toMatchObject({ reported: 1, failed: 0 });
    clock.pass(10 * MINUTE);
    await sweep(sessions);
    expect(told).toEqual(ids);
    expect(await okOf(sessions.get(String(ids[0])))).toMatchObject({ labels: { billed: 'yes' } });
  });

  test.each<[string, (sessions: SessionService, id: string) => Promise<unknown>]>([
    [
      'updates the session and deletes it',
      async (sessions, id) => {
        await okOf(sessions.update(id, { labels: { billed: 'yes' } }));
        await okOf(sessions.delete(id));
      },
    ],
    [
      'deletes the session and creates another with its id',
      async (sessions, id) => {
        await okOf(sessions.delete(id));
        await okOf(sessions.create({ id }));
      },
    ],
    [
      'updates it, deletes it, and creates and ends another with its id',
      async (sessions, id) => {
        await okOf(sessions.update(id, { labels: { billed: 'yes' } }));
        await okOf(sessions.delete(id));
        await okOf(sessions.create({ id, labels: { life: 'second' }, start: true }));
        await okOf(sessions.terminate(id));
      },
    ],
  ])('is sent once if onEnded %s', async (_, change) => {
    const { sessions, clock } = await openDue();
    const lives: string[] = [];
    const changing = async ({ id, labels }: EndedSession) => {
      lives.push(labels['life'] ?? 'first');
      if (lives.length === 1) await change(sessions, id);
    };
    for (let turn = 0; turn < 10; turn += 1) {
      expect(await sweep(sessions, { onEnded: changing })).toMatchObject({ failed: 0 });
      clock.pass(MINUTE);
    }
    expect(lives).toEqual([...new Set(lives)]);
    expect(lives).toContain('first');
  });

  test('is sent even if the retention has passed by then', async () => {
    const { sessions, clock, ids } = await openDue(1, 10);
    clock.pass(10 * MINUTE);
    expect(await sweep(sessions, { onEnded: () => Promise.reject(new Error('no')) })).toMatchObject(
      { reported: 0 },
    );
    clock.pass(MINUTE);
    expect(await sweep(sessions)).toEqual({ ended: 0, reported: 1, deleted: 0, failed: 0 });
    expect(await sweep(sessions)).toEqual({ ended: 0, reported: 0, deleted: 1, failed: 0 });
    expect(told).toEqual(ids);
    expect(await errorOf(sessions.get(String(ids[0])))).toMatchObject({ type: 'not_found' });
  });

  test('is sent even if the host has deleted the session', async () => {
    const { sessions, clock, ids } = await openDue();
    await sweep(sessions, { onEnded: () => Promise.reject(new Error('no')) });
    await okOf(sessions.delete(String(ids[0])));
    clock.pass(MINUTE);
    expect(await sweep(sessions)).toEqual({ ended: 0, reported: 1, deleted: 0, failed: 0 });
    expect(told).toEqual(ids);
  });

  test('is awaited by its sweep', async () => {
    const { sessions, ids } = await openDue(200);
    let now = 0;
    let most = 0;
    const slow = async ({ id }: { readonly id: string }) => {
      now += 1;
      most = Math.max(most, now);
      await new Promise(setImmediate);
      now -= 1;
      told.push(id);
    };
    expect(await sweep(sessions, { onEnded: slow })).toMatchObject({ ended: 200 });
    expect(told.toSorted()).toEqual(ids.toSorted());
    expect(most).toBe(64);
  });

  test('is repeated if onEnded takes longer than a minute, after which the sweep continues', async () => {
    const { sessions, clock, ids } = await openDue();
    const sweeping = sweep(sessions, { onEnded: () => new Promise(() => {}) });
    expect(await passUntil(clock, sweeping)).toMatchObject({ reported: 0, failed: 1 });
    expect(errors).toMatchObject([{ type: 'listener_failed' }]);
    clock.pass(MINUTE);
    await sweep(sessions);
    expect(told).toEqual(ids);
  });

  test('is sent once even if earlier reports were slow and another process sweeps too', async () => {
    const { sessions, clock, ids } = await openDue(180);
    const slow = ({ id }: { readonly id: string }) => {
      told.push(id);
      return new Promise<void>((done) => clock.after(40_000, done));
    };
    const first = sweep(sessions, { onEnded: slow });
    await pass(clock, 40_000);
    expect(told).toHaveLength(128);
    await pass(clock, 30_000);
    expect(await sweep(sessions)).toMatchObject({ reported: 52 });
    await passUntil(clock, first);
    expect(told.toSorted()).toEqual(ids.toSorted());
  });

  test('is sent to the onEnded of a host that calls sweep itself', async () => {
    const { sessions, clock, ids } = await openDue();
    const failing = () => Promise.reject(new Error('no'));
    expect(await okOf(sessions.sweep(10, { onEnded: failing }))).toMatchObject({
      reported: [],
      failed: [{ cause: {} }],
    });
    clock.pass(MINUTE);
    expect(await okOf(sessions.sweep(10, { onEnded }))).toMatchObject({
      reported: [{ id: ids[0] }],
      failed: [],
    });
    expect(told).toEqual(ids);
    for (const options of [{ onEnded: 'log' }, { after: 5 }, null]) {
      expect(await errorOf(Reflect.apply(sessions.sweep, sessions, [10, options]))).toMatchObject({
        type: 'invalid_input',
      });
    }
  });
});

describe('an onEnded or observer that fails', () => {
  test('causes no failure, immediately or later', async () => {
    const { store, clock } = openSessions({ reportEnds: true });
    const late = () => Promise.reject(new Error('later'));
    const atOnce = () => {
      throw new Error('immediately');
    };
    const observers = [{ run: late }, { run: atOnce }];
    const sessions = new SessionService({ store, clock, observers });
    for (const failing of [late, atOnce]) {
      await startedIn(sessions, { timeLimit: 1 });
      clock.pass(MINUTE);
      await sweep(sessions, { onEnded: failing, onError: failing });
    }
    await new Promise(setImmediate);
    expect(unhandled).not.toHaveBeenCalled();
  });
});
