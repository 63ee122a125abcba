import { expect, test } from 'vitest';
import { stateAfter } from '../../src/store/state-after.js';
import { live, NOON } from '../../src/testing/samples.js';

const entry = { role: 'user', content: 'Hi', timestamp: '', id: 'm', message: true as const };
const send = (at: number) => ({
  effects: { send: { entry, digest: 'd', at, revision: 7 }, events: [] },
});

test('a message makes the session wait for a worker from its time on, or from an earlier time', () => {
  const state = live('PAUSED', { labels: { user: 'u-1' } });
  const waiting = { ...state, work: { askedAt: NOON, inbox: 1 } };
  expect(stateAfter(state, send(NOON))).toEqual({ ...waiting, revision: 7 });
  expect(stateAfter(waiting, send(NOON + 1)).work).toEqual({ askedAt: NOON, inbox: 2 });
  expect(stateAfter(waiting, send(NOON - 1)).work).toEqual({ askedAt: NOON - 1, inbox: 2 });
});

test('a change never moves the last activity back', () => {
  const state = live('ACTIVE', { lastActivityAt: NOON + 5 });
  expect(stateAfter(state, { effects: { activity: NOON, events: [] } })).toBe(state);
  const put = { state: live('PAUSED', { lastActivityAt: NOON }), previous: state };
  expect(stateAfter(state, { effects: { put, events: [] } }).lastActivityAt).toBe(NOON + 5);
});
