import { describe, expect, test } from 'vitest';
import { upTo } from '../../../src/testing/samples.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import {
  type ClientOptions,
  clientVersions,
  isConnected,
  openClient,
} from '../../support/redis-clients.js';
import type { RedisServer } from '../../support/redis-server.js';
import { reasonToSkip, requirements } from '../../support/requirements.js';
import { effort, record } from '../support/effort.js';
import { BACK_WITHIN, GRACE, Host } from './host.js';
import { OF_NETWORKS, outages } from './outages.js';

/**
 * How many times each method is called in a silence, in each silence; a round takes as long as the
 * time-out.
 */
const SILENCES: readonly number[] = effort([2], [3, 3, 3, 3, 3, 3, 3, 30]);
const PROMISE = 'every call settles, however silent the server';

const settings: Readonly<Record<string, ClientOptions>> = {
  'as they come': {},
  hardened: {
    connectTimeout: 300,
    socketTimeout: 300,
    retryStrategy: () => 100,
    maxRetriesPerRequest: 1,
    enableOfflineQueue: false,
  },
};

const hostsOn = async ({ host, port }: RedisServer): Promise<readonly Host[]> => {
  const hosts = clientVersions.flatMap((version) =>
    Object.entries(settings).map(([kind, options]) => {
      const client = openClient(version, { host, port, ...options });
      const name = `${version} ${kind}`;
      return { client, host: new Host(name, client) };
    }),
  );
  for (const { client, host } of hosts) {
    while (!isConnected(client)) await new Promise(setImmediate);
    await host.begin();
  }
  return hosts.map(({ host }) => host);
};

describeWithRedis('a Redis server that falls silent during a conversation', () => {
  describe.each(Object.entries(outages))('%s', (name, open) => {
    if (name === OF_NETWORKS && !requirements.networks.isMet()) {
      test.skip(reasonToSkip(requirements.networks));
      return;
    }
    test(
      'settles every call in time, succeeds immediately afterwards, and loses and duplicates nothing',
      async () => {
        const outage = await open();
        const hosts = await hostsOn(outage.server);
        for (const rounds of SILENCES) {
          await Promise.all(hosts.map((host) => host.callAll()));
          await outage.begin();
          for (const _ of upTo(rounds)) await Promise.all(hosts.map((host) => host.callAll()));
          await outage.end();
          await Promise.all(hosts.map((host) => host.returns()));
        }
        for (const host of hosts) {
          const tell = (figure: string, value: number, bar?: string) =>
            record({
              promise: PROMISE,
              figure: `${name}: ${figure}, ${host.name}`,
              value: Math.round(value),
              ...(bar === undefined ? {} : { bar }),
            });
          tell(`calls that took over timeoutMs + ${GRACE} ms`, host.late.length, '0');
          tell(
            'longest call over timeoutMs, ms, standstills of the calling process included',
            host.longestOverMs,
          );
          tell('first success after it is back, ms', host.slowestReturnMs, `<= ${BACK_WITHIN}`);
          tell('calls that failed during it', host.failures);
          expect(host).toMatchObject({ late: [], wrong: [] });
          expect(host.failures).toBeGreaterThan(0);
          const wrong = await host.audit();
          tell('lost or doubled', wrong.length, '0');
          expect(wrong).toEqual([]);
        }
      },
      effort(120_000, 300_000),
    );
  });
});
