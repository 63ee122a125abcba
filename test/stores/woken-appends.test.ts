import { expect, test } from 'vitest';
import { SessionService } from '../../src/service/session-service.js';
import { upTo } from '../../src/testing/samples.js';
import { describeStores } from '../support/describe-stores.js';
import { ada, okOf } from '../support/sessions.js';

const MESSAGES = 40;
const WORKERS = 3;

describeStores('messages that wake, and workers that are done', (open) => {
  test('no message stays unanswered, however claims, releases and appends race', async () => {
    const store = await open();
    const user = new SessionService({ store });
    const { id } = await okOf(user.create({ ...ada, start: true }));
    let answered = 0;
    let isOver = false;

    const work = async (holder: string): Promise<void> => {
      const sessions = new SessionService({ store });
      while (!isOver) {
        const { claimed } = await okOf(sessions.claim({ holder, seconds: 60 }));
        for (const { lease } of claimed) {
          // Whatever comes after this read must wake a worker again.
          const { entries } = await okOf(sessions.history(id, { last: MESSAGES }));
          answered = entries.length;
          await okOf(sessions.release(id, { fencingToken: lease.fencingToken, done: true }));
        }
        if (claimed.length === 0) await new Promise(setImmediate);
      }
    };
    const workers = upTo(WORKERS).map((at) => work(`worker-${at}`));
    for (const at of upTo(MESSAGES)) {
      await okOf(user.append(id, [{ role: 'user', content: `${at}` }], { wake: true }));
    }
    await expect.poll(() => answered, { timeout: 30_000 }).toBe(MESSAGES);
    isOver = true;
    await Promise.all(workers);
  });
});
