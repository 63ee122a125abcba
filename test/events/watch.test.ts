import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { EventLog } from '../../src/store/session-store.js';
import { passUntil } from '../support/manual-clock.js';
import { rewindTo } from '../support/rewind-to.js';
import { ada, createdIn, okOf, openSessions, startedIn } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';
import { briefOf, watching } from '../support/watching.js';

const open = (length?: number) =>
  openSessions({
    store: new MemorySessionStore({ events: length === undefined ? true : { length } }),
  });

const said = (content: string) => [{ role: 'user', content }];

describe('a watch of a session', () => {
  test('yields the session, then each change with its new entries, and the end', async () => {
    const { sessions } = open();
    const id = await createdIn(sessions);
    const watch = watching(sessions, id);
    expect(briefOf(await watch.next())).toBe('snapshot IDLE');
    await okOf(sessions.start(id));
    expect(briefOf(await watch.next())).toBe('changed ACTIVE');
    const { position } = await okOf(sessions.append(id, said('hello')));
    const appended = await watch.next();
    expect(appended).toMatchObject({
      type: 'session.changed',
      session: { id, status: 'ACTIVE', historyCount: 1 },
      entries: [{ role: 'user', content: 'hello', position }],
      sequence: 3,
      position,
    });
    expect(Object(appended).session).not.toHaveProperty('history');
    await okOf(sessions.update(id, { labels: { user: 'u1' } }));
    expect(await watch.next()).toMatchObject({
      session: { labels: { user: 'u1' } },
      entries: [],
      sequence: 4,
    });
    await okOf(sessions.terminate(id));
    expect(briefOf(await watch.next())).toBe('changed TERMINATED terminated');
    expect(await watch.next()).toBe('end');
  });

  test('merges changes between two items into one', async () => {
    const { sessions } = open();
    const id = await startedIn(sessions);
    const watch = watching(sessions, id);
    await watch.next();
    for (const content of ['one', 'two', 'three']) await okOf(sessions.append(id, said(content)));
    await okOf(sessions.pause(id));
    expect(briefOf(await watch.next())).toBe('changed PAUSED one two three');
    await okOf(sessions.resume(id));
    await okOf(sessions.append(id, said('four')));
    await okOf(sessions.terminate(id));
    expect(briefOf(await watch.next())).toBe('changed TERMINATED terminated four');
    expect(await watch.next()).toBe('end');
  });

  test('yields all entries to a slow reader, once each and in order', async () => {
    const { sessions } = open();
    const id = await startedIn(sessions);
    const watch = watching(sessions, id);
    await watch.next();
    for (let turn = 0; turn < 2500; turn += 1) await okOf(sessions.append(id, said(`${turn}`)));
    const change = await watch.next();
    const entries: readonly { readonly content: string }[] = Object(change).entries;
    expect(entries.map(({ content }) => Number(content))).toEqual(
      Array.from({ length: 2500 }, (_, at) => at),
    );
  });

  test.each([
    ['a rewind', 'snapshot ACTIVE one other'],
    ['a redaction', 'snapshot ACTIVE two'],
    ['a rewind that adds nothing', 'snapshot ACTIVE one'],
  ])('yields a snapshot again after %s', async (change, expected) => {
    const { sessions } = open();
    const id = await startedIn(sessions);
    const first = await okOf(sessions.append(id, said('one')));
    await okOf(sessions.append(id, said('two')));
    const watch = watching(sessions, id);
    expect(briefOf(await watch.next())).toBe('snapshot ACTIVE one two');
    if (change === 'a redaction') await okOf(sessions.redact(id, [first.position]));
    else {
      const added = change === 'a rewind' ? said('other') : [];
      await okOf(rewindTo(sessions, id, first.position, added));
    }
    expect(briefOf(await watch.next())).toBe(expected);
    await okOf(sessions.append(id, said('more')));
    expect(briefOf(await watch.next())).toBe('changed ACTIVE more');
  });

  test('yields at most historyLimit entries in a snapshot, and then every new one', async () => {
    const { sessions } = open();
    const id = await startedIn(sessions);
    for (const content of ['one', 'two', 'three']) await okOf(sessions.append(id, said(content)));
    const watch = watching(sessions, id, { historyLimit: 1 });
    expect(briefOf(await watch.next())).toBe('snapshot ACTIVE three');
    for (const content of ['four', 'five']) await okOf(sessions.append(id, said(content)));
    expect(briefOf(await watch.next())).toBe('changed ACTIVE four five');
  });

  test('ends immediately if the session has ended', async () => {
    const { sessions } = open();
    const id = await startedIn(sessions);
    await okOf(sessions.fail(id));
    const watch = watching(sessions, id);
    expect(await watch.next()).toMatchObject({
      type: 'session.snapshot',
      session: { endReason: 'failed' },
    });
    expect(await watch.next()).toBe('end');
  });

  test('yields a deletion as the last item', async () => {
    const { sessions } = open();
    const id = await startedIn(sessions);
    const watch = watching(sessions, id);
    const { cursor } = Object(await watch.next());
    await okOf(sessions.delete(id));
    expect(await watch.next()).toEqual({
      type: 'session.deleted',
      tenant: 'default',
      sessionId: id,
      cursor,
    });
    expect(await watch.next()).toBe('end');
  });

  test('yields a snapshot of the session that was created again under its id', async () => {
    const { sessions } = open();
    const input = { ...ada, idempotencyKey: 'lesson' };
    const { id } = await okOf(sessions.create(input));
    const watch = watching(sessions, id);
    await watch.next();
    await okOf(sessions.delete(id));
    await okOf(sessions.create(input));
    expect(briefOf(await watch.next())).toBe('snapshot IDLE');
  });

  test('continues when the store is available again, even if that broke its contract', async () => {
    const inner = new MemorySessionStore({ events: true });
    const { events } = inner;
    if (events === undefined) throw new Error('the store has no events');
    let failures = 3;
    const failing: EventLog = {
      streamOf: () => events.streamOf(),
      latest: () => events.latest(),
      now: () => events.now(),
      read: async (stream, position, limit) => {
        failures -= 1;
        if (failures >= 0) throw new Error('the store is out of order');
        return events.read(stream, position, limit);
      },
      listen: () => {
        throw new Error('nor does it listen');
      },
    };
    const { sessions, clock } = openSessions({ store: { ...changed(inner, {}), events: failing } });
    const id = await createdIn(sessions);
    const watch = watching(sessions, id);
    await watch.next();
    await okOf(sessions.start(id));
    expect(briefOf(await passUntil(clock, watch.next()))).toBe('changed ACTIVE');
  });

  test('delivers an overdue end without a sweeper', async () => {
    const { sessions, clock } = open();
    const id = await createdIn(sessions, { timeLimit: 0.05 });
    const watch = watching(sessions, id);
    await watch.next();
    await okOf(sessions.start(id));
    await watch.next();
    const end = watch.next();
    clock.pass(50);
    expect(briefOf(await end)).toBe('changed TERMINATED time_limit');
    expect(await watch.next()).toBe('end');
  });

  test('returns an error for a missing session, a store without events, and invalid options', async () => {
    const { sessions } = open();
    expect(await watching(sessions, 'nobody').error()).toMatchObject({
      type: 'not_found',
      id: 'nobody',
    });
    const silent = openSessions().sessions;
    expect(await watching(silent, 'any').error()).toMatchObject({
      type: 'misconfigured',
      message: expect.stringContaining('`events`'),
    });
    const odd = Reflect.apply(sessions.watch, sessions, ['id', { cursor: 'x', signal: 5 }])[
      Symbol.asyncIterator
    ]();
    const { value } = await odd.next();
    expect(value._unsafeUnwrapErr()).toMatchObject({
      issues: [{ path: 'cursor' }, { path: 'signal' }],
    });
    expect(await odd.next()).toEqual({ done: true, value: undefined });
  });

  test('ends immediately when it is aborted, before and while it waits', async () => {
    const { sessions } = open();
    const id = await createdIn(sessions);
    const controller = new AbortController();
    const watch = watching(sessions, id, { signal: controller.signal });
    await watch.next();
    const waiting = watch.next();
    controller.abort();
    expect(await waiting).toBe('end');
    const late = watching(sessions, id, { signal: controller.signal });
    expect(await late.next()).toBe('end');
  });
});

describe('a watch of a tenant', () => {
  test('yields the changes of all its sessions, and of no other tenant', async () => {
    const { sessions } = open();
    const watch = sessions.forTenant('acme').watchAll()[Symbol.asyncIterator]();
    const first = watch.next();
    const theirs = await createdIn(sessions.forTenant('globex'));
    const ours = await createdIn(sessions.forTenant('acme'));
    await okOf(sessions.forTenant('globex').start(theirs));
    await okOf(sessions.forTenant('acme').start(ours));
    const seen = [(await first).value, (await watch.next()).value].map((item) =>
      item._unsafeUnwrap(),
    );
    expect(seen).toMatchObject([
      { type: 'session.created', sessionId: ours, tenant: 'acme' },
      { type: 'session.started', sessionId: ours, sequence: 2 },
    ]);
    await watch.return?.();
  });

  test.each([
    ['that the clock tells apart', false],
    ['of one millisecond', true],
  ])(
    'resumes after a cursor among events %s, and reports lost events',
    async (_, isOneMillisecond) => {
      if (isOneMillisecond) {
        vi.useFakeTimers({ toFake: ['Date'] });
        onTestFinished(() => {
          vi.useRealTimers();
        });
      }
      const { sessions } = open(4);
      let onOpen = (): void => undefined;
      const opened = new Promise<void>((resolve) => {
        onOpen = resolve;
      });
      const watch = sessions.watchAll({ onOpen })[Symbol.asyncIterator]();
      const first = watch.next();
      await opened;
      const id = await startedIn(sessions);
      const { cursor } = (await first).value._unsafeUnwrap();
      await watch.return?.();
      const again = sessions.watchAll({ cursor: cursor })[Symbol.asyncIterator]();
      expect((await again.next()).value._unsafeUnwrap()).toMatchObject({ type: 'session.started' });
      await again.return?.();
      for (let turn = 0; turn < 9; turn += 1) await okOf(sessions.append(id, said(`${turn}`)));
      const late = sessions.watchAll({ cursor: cursor })[Symbol.asyncIterator]();
      expect((await late.next()).value._unsafeUnwrap()).toMatchObject({ type: 'events_lost' });
      expect((await late.next()).value._unsafeUnwrap()).toMatchObject({
        type: 'session.appended',
        sequence: 8,
      });
      await late.return?.();
    },
  );
});
