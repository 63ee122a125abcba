import { expect, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { SessionService } from '../../../src/index.js';
import { clientVersions, connectClient } from '../../support/client-versions.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { errorOf, startedIn } from '../../support/sessions.js';

describeWithRedis('a Redis client that its host closes', ({ port }) => {
  test.each(clientVersions)('leaves an unsent append not_applied, with %s', async (version) => {
    const client = connectClient(version, { port });
    const store = new RedisSessionStore({
      client,
      prefix: `closed-client-${process.pid}-${version}`,
    });
    const sessions = new SessionService({ store });
    const id = await startedIn(sessions);
    const say = () => sessions.append(id, [{ role: 'user', content: 'Hello' }]);
    const append = say();
    const closed = client.quit();
    const refused = { type: 'store_unavailable', outcome: 'not_applied' };
    expect(await errorOf(append)).toMatchObject(refused);
    await closed;
    expect(await errorOf(say())).toMatchObject(refused);
  });
});
