import { expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { SessionService } from '../../src/index.js';
import { ManualClock } from '../support/manual-clock.js';
import { changed } from '../support/store-doubles.js';

test('a change that was decided on a deleted session does not reach the one that was created under its key since', async () => {
  const clock = new ManualClock();
  const inner = new MemorySessionStore();
  const sessions = new SessionService({ store: inner, clock });
  const input = { face: 'ada', profile: 'tutor', idempotencyKey: 'lesson-1' };
  const { id } = (await sessions.create({ ...input, timeLimit: 10 }))._unsafeUnwrap();
  let isFirst = true;
  const store = changed(inner, {
    replace: async (key, next) => {
      if (isFirst) {
        isFirst = false;
        clock.pass(1);
        (await sessions.delete(id))._unsafeUnwrap();
        (await sessions.create({ ...input, timeLimit: 0 }))._unsafeUnwrap();
      }
      return inner.replace(key, next);
    },
  });
  (await new SessionService({ store, clock }).start(id))._unsafeUnwrap();
  clock.pass(60_000);
  expect((await sessions.get(id))._unsafeUnwrap()).toMatchObject({ status: 'ACTIVE', duration: 60 });
});
