import { expect, test } from 'vitest';
import { saveMessages } from '../../../adapters/ai-sdk/index.js';
import { unwrap } from '../../../src/index.js';
import { describeStores } from '../../support/describe-stores.js';
import { okOf } from '../../support/sessions.js';
import { openedChat, user } from './opened-chat.js';

describeStores('saveMessages with wake', (open) => {
  test('wakes the chat for a worker with what it saves, and not again with what is saved already', async () => {
    const { sessions, id } = await openedChat(await open());
    const answered = async () => {
      const claim = { holder: 'one', seconds: 10 };
      const { claimed } = await okOf(sessions.claim(claim));
      for (const { lease } of claimed)
        await okOf(sessions.release(id, { fencingToken: lease.fencingToken, done: true }));
      return claimed.map(({ session }) => session.id);
    };
    const question = user('u-1', 'One?');
    for (const [options, ids] of [
      [{}, []],
      [{ regenerate: true, wake: true }, [id]],
      [{ wake: true }, []],
    ] as const) {
      await unwrap(saveMessages(sessions, id, [question], options));
      expect(await answered()).toEqual(ids);
    }
    await unwrap(saveMessages(sessions, id, [user('u-2', 'Two?')], { wake: true }));
    expect(await answered()).toEqual([id]);
  });
});
