import { err, ok } from 'neverthrow';
import { expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { EventHub } from '../../src/events/event-hub.js';
import { WorkFeed } from '../../src/events/work-feed.js';
import { misconfigured } from '../../src/session/errors.js';
import type { SessionEvent } from '../../src/session/session-event.js';
import { ada, okOf, openSessions } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';

/** A log that fails once when the test says so, and knows who listens to it. */
const openLog = () => {
  const memory = new MemorySessionStore({ events: true });
  const { events } = memory;
  if (events === undefined) throw new Error('the store has no events');
  const listening = new Set<() => void>();
  let mustFail = false;
  const log = {
    streamOf: () => events.streamOf(),
    latest: () => events.latest(),
    now: () => events.now(),
    read: (...args: Parameters<typeof events.read>) => {
      if (!mustFail) return events.read(...args);
      mustFail = false;
      return err(misconfigured('the user has no right to read it'));
    },
    listen: (listener: () => void) => {
      const stop = events.listen(listener);
      listening.add(listener);
      return () => {
        stop();
        listening.delete(listener);
      };
    },
  };
  const failOnce = () => {
    mustFail = true;
  };
  return { log, listening, failOnce, store: changed(memory, { events: log }) };
};

test('a work feed that fails and reopens delivers each event once, and leaves no listener after it is closed', async () => {
  const { log, listening, failOnce, store } = openLog();
  const { sessions, clock } = openSessions({ store });
  const parts = {
    store,
    now: () => ok(clock.now()),
    after: (ms: number, done: () => void) => clock.after(ms, done),
  };
  const source = { ...parts, tenant: 'default', hub: new EventHub(log, parts) };
  const heard: (readonly SessionEvent[] | undefined)[] = [];
  const feed = new WorkFeed(source, 'default', (events) => heard.push(events));
  await feed.open();
  await expect.poll(() => listening.size).toBe(1);
  failOnce();
  await okOf(sessions.create(ada));
  await expect.poll(() => listening.size).toBe(0);
  await feed.open();
  await expect.poll(() => listening.size).toBe(1);
  const { id } = await okOf(sessions.create(ada));
  await expect.poll(() => heard.length).toBeGreaterThan(0);
  expect(heard).toMatchObject([[{ type: 'session.created', sessionId: id }]]);
  feed.close();
  await expect.poll(() => listening.size).toBe(0);
});
