import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { withoutPosition } from '../../src/testing/history-steps.js';
import { createdIn, errorOf, okOf, openSessions, startedIn } from '../support/sessions.js';
import { TextSessionStore } from '../support/store-doubles.js';

const turns = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => ({ role: 'user', content: `turn ${from + at}` }));

describe.each([
  ['in memory', () => new MemorySessionStore()],
  ['that answers later', () => new TextSessionStore()],
])('history(), on a store %s', (_, makeStore) => {
  const open = async () => {
    const { sessions } = openSessions({ store: makeStore() });
    const id = await startedIn(sessions);
    return { sessions, id };
  };

  test('returns the last hundred entries by default', async () => {
    const { sessions, id } = await open();
    await okOf(sessions.append(id, turns(0, 250)));
    const { entries, start, position, hasMore } = await okOf(sessions.history(id));
    expect(entries.map(withoutPosition)).toEqual(
      (await okOf(sessions.get(id))).history.slice(-100),
    );
    expect(hasMore).toBe(false);
    expect(await okOf(sessions.history(id, {}))).toEqual({
      entries,
      limit: 100,
      start,
      position,
      hasMore,
    });
    expect(
      (await okOf(sessions.history(id, { last: 3 }))).entries.map(({ content }) => content),
    ).toEqual(turns(247, 250).map(({ content }) => content));
  });

  test('continues after a position, a hundred entries at a time by default', async () => {
    const { sessions, id } = await open();
    await okOf(sessions.append(id, turns(0, 7)));
    const { position } = await okOf(sessions.append(id, turns(7, 8)));
    await okOf(sessions.append(id, turns(8, 158)));
    const { history } = await okOf(sessions.get(id));
    const next = await okOf(sessions.history(id, { after: position }));
    expect(next).toMatchObject({ entries: history.slice(8, 108), hasMore: true });
    const last = await okOf(sessions.history(id, { after: next.position, limit: 1000 }));
    expect(last).toMatchObject({ entries: history.slice(108), hasMore: false });
    expect(await okOf(sessions.history(id, { after: 0, limit: 2 }))).toMatchObject({
      entries: history.slice(0, 2),
    });
    await okOf(sessions.append(id, turns(158, 159)));
    const { entries } = await okOf(sessions.history(id, { after: last.position }));
    expect(entries.map(({ content }) => content)).toEqual(['turn 158']);
  });

  test('is empty before the first entry, in any status', async () => {
    const { sessions } = await open();
    const id = await createdIn(sessions);
    for (const query of [{}, { after: 0 }]) {
      expect(await okOf(sessions.history(id, query))).toMatchObject({
        entries: [],
        hasMore: false,
      });
    }
    await okOf(sessions.fail(id));
    expect(await okOf(sessions.history(id))).toMatchObject({ entries: [], hasMore: false });
  });

  test('fails with not_found for a missing or foreign session', async () => {
    const { sessions, id } = await open();
    for (const query of [{ last: 1 }, { after: 0 }, { after: 5 }]) {
      expect(await errorOf(sessions.history('s9', query))).toMatchObject({
        type: 'not_found',
        id: 's9',
      });
      expect(await errorOf(sessions.forTenant('globex').history(id, query))).toMatchObject({
        type: 'not_found',
        id,
      });
    }
  });

  test('reads back from the end to the beginning, as a chat window scrolls up', async () => {
    const { sessions, id } = await open();
    await okOf(sessions.append(id, turns(0, 205)));
    const { history } = await okOf(sessions.get(id));
    let part = await okOf(sessions.history(id, { last: 20 }));
    const shown = [...part.entries];
    while (part.start > 0) {
      part = await okOf(sessions.history(id, { before: part.start, limit: 50 }));
      expect(part.entries.length).toBeLessThanOrEqual(50);
      expect(part.hasMore).toBe(true);
      shown.unshift(...part.entries);
    }
    expect(shown.map(withoutPosition)).toEqual(history);
    const again = await okOf(sessions.history(id, { before: part.position }));
    expect(again.entries).toEqual(part.entries);
  });

  test('fails with invalid_input after a position that is not in the history', async () => {
    const { sessions, id } = await open();
    const { position } = await okOf(sessions.append(id, turns(0, 1)));
    expect(await errorOf(sessions.history(id, { after: position + 1 }))).toEqual({
      type: 'invalid_input',
      message: 'after is not a position in this history',
      issues: [{ path: 'after', message: 'is not a position in this history' }],
    });
    expect(await errorOf(sessions.history(id, { before: position + 1 }))).toMatchObject({
      message: 'before is not a position in this history',
    });
  });
});

describe('limits.historyEntries', () => {
  const full = (limit: number, id = 's1') => ({
    type: 'history_full',
    message: `the history would have more than ${limit} entries`,
    id,
    limit,
  });

  test('accepts as many entries as allowed, and fails an append that would exceed it', async () => {
    const { sessions } = openSessions({ limits: { historyEntries: 3 } });
    const id = await startedIn(sessions);
    await okOf(sessions.append(id, turns(0, 2)));
    expect(await errorOf(sessions.append(id, turns(2, 4)))).toEqual(full(3));
    await okOf(sessions.append(id, turns(2, 3)));
    expect(await errorOf(sessions.append(id, turns(3, 4)))).toEqual(full(3));
    expect((await okOf(sessions.history(id))).entries).toHaveLength(3);
    expect((await okOf(sessions.get(id))).status).toBe('ACTIVE');
  });

  test('still recognises an append that was stored before the history was full', async () => {
    const { sessions } = openSessions({ limits: { historyEntries: 1 } });
    const id = await startedIn(sessions);
    const first = await okOf(sessions.append(id, turns(0, 1), { operationId: 'op' }));
    expect(await okOf(sessions.append(id, turns(0, 1), { operationId: 'op' }))).toEqual({
      ...first,
      repeated: true,
    });
    expect(await errorOf(sessions.append(id, turns(1, 2), { operationId: 'op-2' }))).toEqual(
      full(1),
    );
  });

  test('counts per session, and is not checked if the session accepts no entries', async () => {
    const { sessions } = openSessions({ limits: { historyEntries: 1 } });
    for (const _ of [1, 2]) await okOf(sessions.append(await startedIn(sessions), turns(0, 1)));
    const idle = await createdIn(sessions);
    expect((await errorOf(sessions.append(idle, turns(0, 2)))).type).toBe('invalid_transition');
    expect((await errorOf(sessions.append('s9', turns(0, 2)))).type).toBe('not_found');
  });

  test('applies in the service that appends', async () => {
    const store = new MemorySessionStore();
    const id = await startedIn(openSessions({ store }).sessions);
    const [narrow, wide] = [1, 3].map(
      (historyEntries) => openSessions({ store, limits: { historyEntries } }).sessions,
    );
    await okOf(openSessions({ store }).sessions.append(id, turns(0, 2)));
    expect(narrow && (await errorOf(narrow.append(id, turns(2, 3))))).toEqual(full(1));
    expect(wide && (await okOf(wide.append(id, turns(2, 3))))).toBeDefined();
  });
});
