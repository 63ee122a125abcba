import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { CountedLog } from '../http/counted-log.js';
import { createdIn, okOf, openSessions } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';

const open = () => {
  const store = new MemorySessionStore({ events: true });
  const log = new CountedLog(store.events);
  return { log, ...openSessions({ store: changed(store, { events: log }) }) };
};

describe('a watch that is left', () => {
  test('immediately leaves nothing behind, not even during the first read of the store', async () => {
    const { sessions, log } = open();
    const id = await createdIn(sessions);
    for (let time = 0; time < 3; time += 1) {
      const watch = sessions.watch(id)[Symbol.asyncIterator]();
      await watch.next();
      await watch.return?.();
    }
    await log.listeners(0);
  });

  test('twice ends no later watch', async () => {
    const { sessions, log } = open();
    const id = await createdIn(sessions);
    const gone = new AbortController();
    const first = sessions.watch(id, { signal: gone.signal })[Symbol.asyncIterator]();
    await first.next();
    gone.abort();
    const watches = [
      sessions.watch(id)[Symbol.asyncIterator](),
      sessions.watch(id)[Symbol.asyncIterator](),
    ] as const;
    await watches[0].next();
    await first.return?.();
    await watches[1].next();
    await log.listeners(1);
    await okOf(sessions.start(id));
    for (const watch of watches) {
      expect((await watch.next()).value?._unsafeUnwrap()).toMatchObject({
        session: { status: 'ACTIVE' },
      });
      await watch.return?.();
    }
    await log.listeners(0);
  });
});
