import { expect, onTestFinished, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import type { Guards, SessionStore } from '../../../src/store/session-store.js';
import { answerOf } from '../../../src/testing/answers.js';
import { change, idsOf, putOf, remove, said, tryBegin } from '../../../src/testing/commits.js';
import { keyOf, live, NOON, operationOf, TENANT, upTo } from '../../../src/testing/samples.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { openClient, type TestClient } from '../../support/redis-clients.js';
import { commandsOf } from '../../support/redis-commands.js';
import { openAppendOf } from '../../support/redis-commits.js';
import { startRedis } from '../../support/redis-server.js';
import { effort, record, triedClients } from '../support/effort.js';

const CALLS = effort(500, 20_000);
const CALLERS = 20;
const PROMISE = 'a server that forgets its scripts is not noticed';

/** Flushes the scripts again as soon as the server has done so, until it is stopped. */
const flushing = (client: TestClient) => {
  let over = false;
  const flush = async (): Promise<number> => {
    for (let flushes = 0; ; flushes += 1) {
      if (over) return flushes;
      await client.call('SCRIPT', 'FLUSH');
    }
  };
  const flushes = flush();
  return {
    stop: () => {
      over = true;
      return flushes;
    },
  };
};

/**
 * A life of five writes, one by each script, in the lists in between; gives the answers that are
 * not as they would be undisturbed.
 */
const lifeOf = async (store: SessionStore, id: string): Promise<readonly unknown[]> => {
  const key = keyOf(id);
  const append = (content: string, guards?: Guards) =>
    change(store, openAppendOf(key, [content], guards));
  const begun = await tryBegin(store, key, { state: live('IDLE') });
  const started = await change(store, putOf(key, live('ACTIVE', { revision: 2 }), live('IDLE')));
  const first = await append('first');
  const second = await append('second', { operation: operationOf('second') });
  const kept = await said(store, key);
  const active = await answerOf(
    store.page(TENANT, { offset: 0, limit: 100, status: { anyOf: ['ACTIVE'], now: NOON } }),
  );
  const isListed = active.records.some(({ head }) => head.id === id);
  const removed = await remove(store, key);
  const answers = [begun, started, first, second, removed];
  const wrong = answers.filter(({ outcome }) => outcome !== 'made');
  return kept?.join() === 'first,second' && isListed ? wrong : [...wrong, { kept, isListed }];
};

describeWithRedis('repeated SCRIPT FLUSH', () => {
  test.each(triedClients)(
    'fails no call, and applies each once, with %s',
    async (version) => {
      const server = await startRedis();
      onTestFinished(() => server.stop());
      const { port } = server;
      const store = new RedisSessionStore({
        client: openClient(version, { port }),
      });
      const flusher = flushing(openClient(version, { port }));
      let lives = 0;
      const wrong: unknown[] = [];
      const caller = async () => {
        while (lives < CALLS / 5) {
          lives += 1;
          wrong.push(...(await lifeOf(store, `s${lives}`)));
        }
      };
      await Promise.all(upTo(CALLERS).map(caller));
      const flushes = await flusher.stop();
      const { eval: sentWhole = 0 } = await commandsOf(port);
      const tell = (figure: string, value: number, bar?: string) =>
        record({
          promise: PROMISE,
          figure: `${figure}, ${version}`,
          value,
          ...(bar === undefined ? {} : { bar }),
        });
      tell('calls', lives * 5);
      tell('times that a script was gone', sentWhole);
      tell('flushes', flushes);
      tell('errors and wrong answers', wrong.length, '0');
      expect(wrong).toEqual([]);
      expect(await idsOf(store, TENANT)).toEqual([]);
      expect(sentWhole).toBeGreaterThan(CALLS / 20);
    },
    effort(120_000, 300_000),
  );
});
