import { expect, test } from 'vitest';
import { appendScript } from '../../../adapters/redis/history-writer.js';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { headOf, keyOf, live, TENANT } from '../../../src/testing/samples.js';
import { answerOf, append, said } from '../../../src/testing/steps.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { PATIENT_MS } from '../../support/patience.js';
import { clientVersions, openClient } from '../../support/redis-clients.js';
import { openProxy } from '../../support/tcp-proxy.js';

const key = keyOf('one');

describeWithRedis('a journal that is shorter than it was', ({ port }) => {
  test.each(clientVersions)(
    'an append whose reply is lost is there once: session made anew by another process, %s',
    async (version) => {
      const prefix = `regrown-${process.pid}-${version}`;
      const proxy = await openProxy(port);
      const others = new RedisSessionStore({ client: openClient(version, { port }), prefix, timeoutMs: PATIENT_MS });
      const store = new RedisSessionStore({
        client: openClient(version, { port: proxy.port }),
        prefix,
        timeoutMs: PATIENT_MS,
      });
      await answerOf(store.insert(TENANT, headOf('one'), live('ACTIVE')));
      await append(store, key, ['x'.repeat(5000)]);
      await answerOf(others.remove(key));
      await answerOf(others.insert(TENANT, headOf('one'), live('ACTIVE')));
      const lost = proxy.loseReply(appendScript.sha1, () => append(others, key, ['y'.repeat(9000)]));
      await append(store, key, ['mine']);
      await lost;
      expect((await said(others, key))?.filter((content) => content === 'mine')).toEqual(['mine']);
    },
  );
  test.each(clientVersions)('the same where a failover has taken back what was acknowledged, %s', async (version) => {
    const prefix = `rolled-${process.pid}-${version}`;
    const proxy = await openProxy(port);
    const direct = openClient(version, { port });
    const others = new RedisSessionStore({ client: direct, prefix, timeoutMs: PATIENT_MS });
    const store = new RedisSessionStore({
      client: openClient(version, { port: proxy.port }),
      prefix,
      timeoutMs: PATIENT_MS,
    });
    await answerOf(store.insert(TENANT, headOf('one'), live('ACTIVE')));
    await append(store, key, ['first']);
    const journal = `${prefix}:{0}:journal:${TENANT}:one`;
    await append(store, key, ['kept']);
    const before = String(await direct.call('GET', journal));
    await append(store, key, ['x'.repeat(50)]);
    await direct.call('SET', journal, before);
    const lost = proxy.loseReply(appendScript.sha1, () => append(others, key, ['y'.repeat(90)]));
    await append(store, key, ['mine']);
    await lost;
    expect((await said(others, key))?.filter((content) => content === 'mine')).toEqual(['mine']);
  });
});
