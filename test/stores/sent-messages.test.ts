import { expect, test } from 'vitest';
import { SessionService } from '../../src/service/session-service.js';
import { upTo } from '../../src/testing/samples.js';
import { describeStores } from '../support/describe-stores.js';
import { ada, okOf } from '../support/sessions.js';

const MESSAGES = 40;
const WORKERS = 3;

describeStores('messages sent while workers finish', (open) => {
  test('are each taken once, in order', async () => {
    const store = await open();
    const user = new SessionService({ store });
    const { id } = await okOf(user.create({ ...ada, start: true }));
    const answered: string[] = [];
    let isOver = false;

    const work = async (holder: string): Promise<void> => {
      const sessions = new SessionService({ store });
      while (!isOver) {
        const { claimed } = await okOf(sessions.claim({ holder, seconds: 60 }));
        for (const { lease, messages } of claimed) {
          answered.push(...messages.map(({ content }) => content));
          await okOf(sessions.release(id, { fencingToken: lease.fencingToken, done: true }));
        }
        if (claimed.length === 0) await new Promise(setImmediate);
      }
    };
    const workers = upTo(WORKERS).map((at) => work(`worker-${at}`));
    const sent = upTo(MESSAGES).map(String);
    for (const content of sent) await okOf(user.send(id, content));
    await expect.poll(() => answered.length).toBeGreaterThanOrEqual(MESSAGES);
    expect(answered).toEqual(sent);
    isOver = true;
    await Promise.all(workers);
  });
});
