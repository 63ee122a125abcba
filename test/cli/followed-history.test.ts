import { err } from 'neverthrow';
import { expect, test, vi } from 'vitest';
import { FollowedHistory } from '../../src/cli/followed-history.js';
import type { SessionService } from '../../src/index.js';
import { okOf, openSessions, startedIn } from '../support/sessions.js';

/** A session that is followed from its snapshot on, and how to change it. */
const followed = async (before: readonly string[], { hasParts = true } = {}) => {
  const { sessions, store } = openSessions();
  const id = await startedIn(sessions);
  const say = async (contents: readonly string[], after?: number) => {
    const entries = contents.map((content) => ({ role: 'user', content }));
    const { position } = await okOf(sessions.append(id, entries, after === undefined ? {} : { after }));
    return { historyPosition: position, ...(after !== undefined && { after }) };
  };
  const ends: number[] = [];
  for (const content of before) ends.push((await say([content])).historyPosition);
  const parts: Pick<SessionService, 'history'> = { history: () => Object(err({ type: 'route_not_found' })) };
  const served = hasParts
    ? sessions
    : Object.assign(Object.create(sessions), parts, { get: sessions.get.bind(sessions) });
  const history = new FollowedHistory(served, id);
  history.begin(before.length);
  const added = async (...told: Parameters<FollowedHistory['added']>) => {
    const { after, entries } = await history.added(...told);
    return [...(after === undefined ? [] : [after]), ...entries.map(({ content }) => content)];
  };
  return { store, say, added, ends };
};

test('a history that is followed is read from the snapshot on, and each append alone after the first', async () => {
  const { store, say, added } = await followed(['before', 'it']);
  const find = vi.spyOn(store, 'find');
  const slices = vi.spyOn(store, 'findEntries');
  const one = await say(['one']);
  expect(await added(one)).toEqual(['one']);
  const [two, more] = [await say(['two']), await say(['three', 'four'])];
  expect(await added(two)).toEqual(['two']);
  expect(await added(more)).toEqual(['three', 'four']);
  expect(await added(more)).toEqual([]);
  expect(find).not.toHaveBeenCalled();
  expect(slices.mock.calls.map(([, slice]) => slice)).toMatchObject([{ after: 0 }, { after: 3 }, { after: 4 }]);
});

test('what a rewind has superseded is not shown again, and what follows its storeName is', async () => {
  const { say, added, ends } = await followed(['one', 'two', 'three']);
  const [first = 0] = ends;
  expect(await added(await say(['another'], first))).toEqual([first, 'another']);
  expect(await added(await say(['and more']))).toEqual(['and more']);
  expect(await added(await say([], 0))).toEqual([0]);
  expect(await added(await say(['new']))).toEqual(['new']);
});

test('an append that was superseded before it was told shows nothing of what came later', async () => {
  const { say, added, ends } = await followed(['one', 'two']);
  const appended = await say(['late', 'later']);
  const rewound = await say(['instead'], ends[0] ?? 0);
  const partly = await say(['a', 'b']);
  const last = await say(['c'], rewound.historyPosition);
  expect(await added(appended)).toEqual([]);
  expect(await added(rewound)).toEqual([ends[0], 'instead']);
  expect(await added(partly)).toEqual([]);
  expect(await added(last)).toEqual([rewound.historyPosition, 'c']);
});

test('where the service does not serve parts, a history that was rewound is shown as a whole', async () => {
  const { say, added, ends } = await followed(['one', 'two'], { hasParts: false });
  expect(await added(await say(['three']))).toEqual(['three']);
  expect(await added(await say(['four'], ends[0]))).toEqual([0, 'one', 'four']);
  expect(await added(await say(['five']))).toEqual(['five']);
});
