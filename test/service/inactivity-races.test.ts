import { ok } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { createSweeper, type EndedSession, SessionService } from '../../src/index.js';
import { NOON } from '../support/manual-clock.js';
import { errorOf, okOf, openSessions } from '../support/sessions.js';
import type { Changes } from '../support/store-doubles.js';
import { changed } from '../support/store-doubles.js';

const at = (ms: number): string => new Date(NOON + ms).toISOString();
const hello = [{ role: 'user', content: 'hello' }];
const TIMEOUT = 60;

const open = async () => {
  const { sessions, store, clock } = openSessions({ inactivityTimeout: TIMEOUT, reportEnds: true });
  const { id } = await okOf(sessions.create({ start: true }));
  const told: EndedSession[] = [];
  const sweep = (swept = sessions) =>
    okOf(createSweeper(swept, { onEnded: (session) => told.push(session) }).sweepOnce());
  return { sessions, store, clock, id, told, sweep };
};

describe('the report of a session that is deleted during another call', () => {
  test.each([
    ['the process that created it', true],
    ['another process', false],
  ])('contains the time of all its appends, if %s deletes the session', async (_, isSame) => {
    const { sessions, store, clock, id, told, sweep } = await open();
    const other = new SessionService({ store, clock, inactivityTimeout: TIMEOUT });
    for (let turn = 0; turn < 20; turn += 1) {
      clock.pass(30_000);
      await okOf(other.append(id, hello));
    }
    await okOf((isSame ? sessions : other).delete(id));
    await sweep();
    expect(told).toMatchObject([{ id, endReason: 'deleted', duration: 600, endedAt: at(600_000) }]);
  });
});

/**
 * A service whose session expires by inactivity. Just before its first write, another process
 * appends with a time one millisecond earlier.
 */
const openRace = async () => {
  const opened = await open();
  const { store, clock, id } = opened;
  clock.pass(TIMEOUT * 1000);
  const early = { now: () => clock.now() - 1, after: () => () => undefined };
  const late = new SessionService({ store, clock: early });
  let isFirst = true;
  const appendFirst = async (): Promise<void> => {
    if (!isFirst) return;
    isFirst = false;
    await okOf(late.append(id, hello));
  };
  const afterAppend: Changes = {
    put: async (commit) => {
      await appendFirst();
      return store.change(commit);
    },
    remove: async (...args) => {
      await appendFirst();
      return store.remove(...args);
    },
  };
  const racing = new SessionService({ store: changed(store, afterAppend), clock });
  return { ...opened, racing };
};

describe('an acknowledged append while another caller stores the end by inactivity', () => {
  test('keeps the session ACTIVE during a sweep', async () => {
    const { sessions, racing, id, sweep, told } = await openRace();
    expect(await sweep(racing)).toMatchObject({ ended: 0, failed: 0 });
    expect(await okOf(sessions.get(id))).toMatchObject({ status: 'ACTIVE', historyCount: 1 });
    expect(told).toEqual([]);
  });

  test('keeps the session ACTIVE during an update, which is applied', async () => {
    const { sessions, racing, id } = await openRace();
    expect(await okOf(racing.update(id, { labels: { a: 'b' } }))).toMatchObject({
      status: 'ACTIVE',
    });
    expect(await okOf(sessions.get(id))).toMatchObject({ status: 'ACTIVE', labels: { a: 'b' } });
  });

  test('is followed by a terminate, which returns the end that it stored', async () => {
    const { sessions, racing, id, clock } = await openRace();
    const { endReason } = await okOf(racing.terminate(id));
    expect(endReason).toBe('terminated');
    clock.pass(1);
    expect(await okOf(sessions.get(id))).toMatchObject({ endReason: 'terminated' });
  });

  test('counts in the report of a delete', async () => {
    const { racing, id, sweep, told } = await openRace();
    await okOf(racing.delete(id));
    await sweep();
    expect(told).toMatchObject([{ id, endReason: 'deleted', durationMs: TIMEOUT * 1000 }]);
  });
});

test('a terminate of an overdue session stores its end by inactivity', async () => {
  const { sessions, store, clock, id } = await open();
  clock.pass(TIMEOUT * 1000);
  expect(await okOf(sessions.terminate(id))).toMatchObject({ endReason: 'inactive' });
  const state = (await store.findState({ tenant: 'default', id }))._unsafeUnwrap();
  expect(state).toMatchObject({ status: 'TERMINATED', since: NOON + TIMEOUT * 1000 });
  expect(await errorOf(sessions.append(id, hello))).toMatchObject({ type: 'invalid_transition' });
});

test('a terminate stores its end without a check of the last activity', async () => {
  const { store, clock, id } = await open();
  const conditions: unknown[] = [];
  const noting = changed(store, {
    put: (commit) => {
      conditions.push(commit.guards.unusedSince);
      return store.change(commit);
    },
  });
  await okOf(new SessionService({ store: noting, clock }).terminate(id));
  expect(conditions).toEqual([undefined]);
  expect(await store.findState({ tenant: 'default', id })).toMatchObject(
    ok({ endReason: 'terminated' }),
  );
});
