import { expect, test, vi } from 'vitest';
import { FollowedHistory } from '../../src/cli/followed-history.js';
import { okOf, openSessions, startedIn } from '../support/sessions.js';

test('a history that is followed is read from the snapshot on, and each append alone after the first', async () => {
  const { sessions, store } = openSessions();
  const id = await startedIn(sessions);
  const say = (content: string) => okOf(sessions.append(id, [{ role: 'user', content }]));
  for (const content of ['before', 'it']) await say(content);
  const find = vi.spyOn(store, 'find');
  const slices = vi.spyOn(store, 'findEntries');
  const history = new FollowedHistory(sessions, id);
  history.begin(2);
  await say('one');
  expect((await history.added()).map(({ content }) => content)).toEqual(['one']);
  await say('two');
  await say('three');
  expect((await history.added()).map(({ content }) => content)).toEqual(['two', 'three']);
  expect(await history.added()).toEqual([]);
  expect(find).not.toHaveBeenCalled();
  expect(slices.mock.calls.map(([, slice]) => slice)).toMatchObject([{ after: 0 }, { after: 3 }, { after: 5 }]);
});
