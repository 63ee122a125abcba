import { expect, onTestFinished, test, vi } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { begin } from '../../../src/testing/commits.js';
import { keyOf, live } from '../../../src/testing/samples.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { intercepting } from '../../support/intercepting-client.js';
import { PATIENT_MS } from '../../support/patience.js';
import { type ClientVersion, openClient } from '../../support/redis-clients.js';
import { startRedis } from '../../support/redis-server.js';

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

describeWithRedis('a store on a Redis that evicts keys', () => {
  /** The warnings of two stores with the same client on a server with this policy. */
  const warningsWith = async (
    policy: string,
    mayAsk = true,
    version: ClientVersion = 'ioredis 5',
  ): Promise<readonly string[]> => {
    const server = await startRedis({ args: ['--maxmemory-policy', policy] });
    onTestFinished(() => server.stop());
    const warnings: string[] = [];
    const note = (warning: Error & { readonly code?: string }) => {
      if (warning.name === 'ColloquyWarning') warnings.push(`${warning.code}: ${warning.message}`);
    };
    process.on('warning', note);
    onTestFinished(() => void process.off('warning', note));
    const client = openClient(version, { port: server.port });
    let asked = 0;
    const counted = intercepting(client, async (name, _, run) => {
      if (name !== 'info') return run();
      try {
        if (!mayAsk) throw new Error('NOPERM this user has no permissions to run the command');
        return await run();
      } finally {
        asked += 1;
      }
    });
    for (const id of ['one', 'two']) {
      const store = new RedisSessionStore({ client: counted, timeoutMs: PATIENT_MS });
      await begin(store, keyOf(id), { state: live('IDLE') });
    }
    await vi.waitFor(() => expect(asked).toBe(1), PATIENT_MS);
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    return warnings;
  };

  test.each(['allkeys-lru', 'volatile-lru'])(
    'warns once, with the eviction policy %s',
    async (policy) => {
      expect(await warningsWith(policy)).toEqual([
        expect.stringMatching(
          new RegExp(`^COLLOQUY_REDIS_EVICTION: .*maxmemory-policy ${policy},`),
        ),
      ]);
    },
  );

  test('warns with node-redis', async () => {
    expect(await warningsWith('allkeys-lru', true, 'node-redis 6')).toHaveLength(1);
  });

  test('stays quiet with noeviction, or without the right to INFO', async () => {
    expect(await warningsWith('noeviction')).toEqual([]);
    expect(await warningsWith('allkeys-lru', false)).toEqual([]);
  });
});
