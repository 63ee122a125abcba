import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { SessionService } from '../../src/index.js';
import { planRemove } from '../../src/plan/remove.js';
import type { DueKey } from '../../src/session/session-key.js';
import type { StateRecord } from '../../src/session/session-record.js';
import type { CallerCommand } from '../../src/session/session-status.js';
import type { StateChange } from '../../src/store/commit.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { ManualClock } from '../support/manual-clock.js';
import { ada, createdIn, errorOf, okOf, openSessions, startedIn } from '../support/sessions.js';
import { changed, staleOf, TextSessionStore } from '../support/store-doubles.js';

const many = <T>(operation: (index: number) => PromiseLike<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: 50 }, (_, index) => operation(index)));

const sequenceOf = async (store: SessionStore, id: string) =>
  (await store.find({ tenant: 'default', id }))._unsafeUnwrap()?.sequence;

describe.for([
  ['in memory', () => new MemorySessionStore()],
  ['after a network', () => new TextSessionStore()],
] as const)('concurrent calls, on a store %s', ([, makeStore]) => {
  test('let one of 50 starts succeed, and 49 fail because the session is ACTIVE', async () => {
    const { sessions, store } = openSessions({ store: makeStore() });
    const id = await createdIn(sessions);
    const results = await many(() => sessions.start(id));
    expect(results.filter((result) => result.isOk())).toHaveLength(1);
    for (const result of results) {
      if (result.isErr())
        expect(result.error).toMatchObject({ type: 'invalid_transition', status: 'ACTIVE' });
    }
    expect(await sequenceOf(store, id)).toBe(2);
  });

  test('let 50 terminates succeed, of which one changes the session', async () => {
    const { sessions, store } = openSessions({ store: makeStore() });
    const id = await startedIn(sessions);
    for (const state of await many(() => okOf(sessions.terminate(id)))) {
      expect(state).toMatchObject({
        id,
        status: 'TERMINATED',
        endReason: 'terminated',
        duration: 0,
      });
    }
    expect(await sequenceOf(store, id)).toBe(3);
  });

  test('let 50 starts with one operation id succeed, of which one changes the session', async () => {
    const { sessions, store } = openSessions({ store: makeStore() });
    const id = await createdIn(sessions);
    for (const state of await many(() => okOf(sessions.start(id, { operationId: 'op' })))) {
      expect(state.status).toBe('ACTIVE');
    }
    expect(await sequenceOf(store, id)).toBe(2);
  });

  test('let either terminate or fail win, whose reason stays', async () => {
    const { sessions } = openSessions({ store: makeStore() });
    const id = await startedIn(sessions);
    const [terminated, failed] = await Promise.all([sessions.terminate(id), sessions.fail(id)]);
    const state = terminated._unsafeUnwrap();
    const reason = state.status === 'TERMINATED' ? state.endReason : undefined;
    expect(reason).toBe(failed.isOk() ? 'failed' : 'terminated');
    expect(await okOf(sessions.get(id))).toMatchObject({ status: 'TERMINATED', endReason: reason });
  });

  test('keep 50 appends once each, during pauses and resumes', async () => {
    const { sessions } = openSessions({ store: makeStore() });
    const id = await startedIn(sessions);
    await many(async (index) => {
      await okOf(sessions.append(id, [{ role: 'user', content: `${index}` }]));
      if (index % 10 === 0) await sessions.pause(id);
      if (index % 10 === 5) await sessions.resume(id);
    });
    const { history } = await okOf(sessions.get(id));
    expect(new Set(history.map(({ content }) => content)).size).toBe(50);
    expect(history).toHaveLength(50);
  });

  test('leave a state that the results of all commands explain', async () => {
    const { sessions, store } = openSessions({ store: makeStore() });
    const id = await createdIn(sessions);
    const commands: readonly CallerCommand[] = ['start', 'pause', 'resume', 'pause', 'resume'];
    const results = await many((index) =>
      sessions[commands[index % commands.length] ?? 'start'](id),
    );
    const errors = results.flatMap((result) => (result.isErr() ? [result.error.type] : []));
    expect(errors.filter((type) => type !== 'invalid_transition' && type !== 'conflict')).toEqual(
      [],
    );
    expect(await sequenceOf(store, id)).toBe(1 + results.length - errors.length);
  });

  test('leave nothing behind after a delete and 50 appends', async () => {
    const { sessions } = openSessions({ store: makeStore() });
    const id = await startedIn(sessions);
    await many(async (index) => {
      if (index === 25) await okOf(sessions.delete(id));
      else await sessions.append(id, [{ role: 'user', content: `${index}` }]);
    });
    expect(await errorOf(sessions.get(id))).toMatchObject({ type: 'not_found' });
    expect(await okOf(sessions.list())).toMatchObject({ sessions: [], total: 0 });
  });
});

const revised = (key: DueKey, previous: StateRecord, revision: number): StateChange => ({
  key,
  guards: { revision: previous.revision },
  effects: {
    put: { state: { ...previous, revision }, previous },
    events: [{ type: 'leased', at: 0, fencingToken: 1 }],
  },
});

describe('a rival that always changes the session first', () => {
  test('makes a change fail with conflict after a limited number of attempts', async () => {
    const inner = new MemorySessionStore();
    let tries = 0;
    const store = changed(inner, {
      put: (commit) => {
        tries += 1;
        return staleOf(commit);
      },
    });
    const { sessions } = openSessions({ store });
    const id = await createdIn(sessions);
    expect(await errorOf(sessions.start(id))).toEqual({
      type: 'conflict',
      message: 'other callers kept changing the session; try again',
      id,
    });
    expect(tries).toBeGreaterThan(1);
    expect(tries).toBeLessThanOrEqual(100);
    expect((await okOf(sessions.get(id))).status).toBe('IDLE');
  });

  test('makes a change fail with conflict after ten seconds, however much progress others make', async () => {
    const inner = new MemorySessionStore();
    const clock = new ManualClock();
    let revision = -1;
    const store = changed(inner, {
      put: (commit) => {
        clock.pass(1000);
        const state = inner.findState(commit.key)._unsafeUnwrap();
        if (state !== undefined) inner.change(revised(commit.key, state, revision));
        revision -= 1;
        return inner.change(commit);
      },
    });
    const sessions = new SessionService({ store, clock });
    const { id } = await okOf(sessions.create({ ...ada }));
    expect(await errorOf(sessions.start(id))).toMatchObject({ type: 'conflict' });
    expect(revision).toBeLessThanOrEqual(-32);
    expect(revision).toBeGreaterThanOrEqual(-40);
  });

  test('only delays a change if it stops, and the change is decided anew', async () => {
    const inner = new MemorySessionStore();
    let others = 3;
    const store = changed(inner, {
      put: (commit) => {
        others -= 1;
        if (others < 0) return inner.change(commit);
        const state = inner.findState(commit.key)._unsafeUnwrap();
        if (state !== undefined) inner.change(revised(commit.key, state, others));
        return inner.change(commit);
      },
    });
    const { sessions } = openSessions({ store });
    const id = await createdIn(sessions);
    expect(await okOf(sessions.start(id))).toMatchObject({ status: 'ACTIVE' });
    expect(await sequenceOf(inner, id)).toBe(5);
  });

  test('makes a change fail in the new state if it ends the session', async () => {
    const inner = new MemorySessionStore();
    const rival = openSessions({ store: inner }).sessions;
    let first = true;
    const store: SessionStore = changed(inner, {
      put: async (commit) => {
        if (first) {
          first = false;
          await okOf(rival.terminate(commit.key.id));
        }
        return inner.change(commit);
      },
    });
    const { sessions } = openSessions({ store });
    const id = await createdIn(sessions);
    expect(await errorOf(sessions.start(id))).toMatchObject({
      type: 'invalid_transition',
      status: 'TERMINATED',
    });
  });

  test('makes a change fail with not_found if it deletes the session', async () => {
    const inner = new MemorySessionStore();
    const store = changed(inner, {
      put: (commit) => {
        inner.remove(planRemove(commit.key, 0));
        return inner.change(commit);
      },
    });
    const { sessions } = openSessions({ store });
    const id = await createdIn(sessions);
    expect(await errorOf(sessions.start(id))).toMatchObject({ type: 'not_found', id });
    expect(await errorOf(sessions.get(id))).toMatchObject({ type: 'not_found', id });
  });
});
