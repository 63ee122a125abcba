import { expect, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { SessionService } from '../../../src/index.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { clientVersions, openClient } from '../../support/redis-clients.js';
import { ada } from '../../support/sessions.js';

describeWithRedis('a client with a keyPrefix', ({ port }) => {
  test.each(clientVersions)(
    'removes the label entries of a deleted session, with %s',
    async (version) => {
      const prefix = `key-prefix-${process.pid}-${version}`;
      const client = openClient(version, { port, keyPrefix: 'host:' });
      const sessions = new SessionService({ store: new RedisSessionStore({ client, prefix }) });
      const { id } = await sessions.orThrow.create({ ...ada, labels: { user: 'u1' } });
      await sessions.orThrow.delete(id);
      const page = await sessions.orThrow.list({ labels: { user: 'u1' } });
      expect(page.total).toBe(0);
      const keys = await openClient(version, { port }).call('KEYS', `*${prefix}*:label:*`);
      expect(keys).toEqual([]);
    },
  );
});
