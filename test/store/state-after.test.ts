import { expect, test } from 'vitest';
import { stateAfter } from '../../src/store/state-after.js';
import { live, NOON } from '../../src/testing/samples.js';

const wake = (at: number) => ({ effects: { wake: { at, revision: 7 }, events: [] } });

test('a wake makes the session wait for a worker from its time on, or from an earlier one', () => {
  const state = live('PAUSED', { labels: { user: 'u-1' } });
  const waiting = { ...state, work: { wakeAt: NOON } };
  expect(stateAfter(state, wake(NOON))).toEqual({ ...waiting, revision: 7 });
  expect(stateAfter(waiting, wake(NOON + 1))).toEqual({ ...waiting, revision: 7 });
  expect(stateAfter(waiting, wake(NOON - 1)).work).toEqual({ wakeAt: NOON - 1 });
});

test('a later activity stays, whatever the change', () => {
  const state = live('ACTIVE', { lastActivityAt: NOON + 5 });
  expect(stateAfter(state, { effects: { activity: NOON, events: [] } })).toBe(state);
  const put = { state: live('PAUSED', { lastActivityAt: NOON }), previous: state };
  expect(stateAfter(state, { effects: { put, events: [] } }).lastActivityAt).toBe(NOON + 5);
});
