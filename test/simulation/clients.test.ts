import { expect, test } from 'vitest';
import { PostgresSessionStore } from '../../adapters/postgres/index.js';
import { RedisSessionStore } from '../../adapters/redis/index.js';
import { chanceOf } from '../../src/simulation/chance-of.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { moreIfLong } from '../support/continuous-integration.js';
import { describeWithPostgres } from '../support/describe-with-postgres.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { type Intercept, intercepting } from '../support/intercepting-client.js';
import { PATIENT_MS } from '../support/patience.js';
import { openPool, schemaName } from '../support/postgres-schema.js';
import { openClient } from '../support/redis-clients.js';
import { simulateCommands } from './commanding.js';
import { polled } from './polled.js';
import { simulateTalks } from './simulate-talks.js';

const SEEDS = moreIfLong(1, 100);

/**
 * Seconds after the talk. Connections are lost in these too, and a sweep that claims a report and
 * loses the reply postpones it by a minute.
 */
const CALM = 300;

const cut = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

/** The seed decides whether a command is lost, its answer is lost, or it is sent twice. */
const unreliable = (seed: number, isResent: boolean, isReliable: () => boolean): Intercept => {
  let commands = 0;
  return async (_name, _args, run) => {
    if (isReliable()) return run();
    commands += 1;
    const chance = chanceOf(seed, `command ${commands}`);
    if (chance < 0.01) throw cut();
    if (chance < 0.03) {
      await run();
      throw cut();
    }
    // Clients resend unanswered commands after they reconnect.
    if (chance < 0.05 && isResent) await run();
    return run();
  };
};

type Open = (seed: number, isReliable: () => boolean) => SessionStore | Promise<SessionStore>;

/** Connections are reliable while sessions are created, and while the results are checked. */
const expectSound = async (open: Open): Promise<void> => {
  let isReliable = false;
  const opened = (seed: number) => open(seed, () => isReliable);
  const fail = () => {
    isReliable = false;
  };
  const recover = () => {
    isReliable = true;
  };
  const store = async (seed: number) => {
    recover();
    return polled(await opened(seed));
  };
  const options = { calm: CALM, onSetUp: fail, onCheck: recover };
  const talked = await simulateTalks(store, SEEDS, 1, options);
  expect(talked.failure?.story).toBeUndefined();
  const unreliableStore = (seed: number) => {
    fail();
    return opened(seed);
  };
  const commanded = await simulateCommands(unreliableStore, SEEDS, 1, recover);
  expect(commanded.failure?.story).toBeUndefined();
};

describeWithRedis(
  'hosts whose Redis client loses and repeats commands and loses replies',
  ({ port }) => {
    test('keep what was acknowledged, and see the result of some order of their calls', async () => {
      const client = openClient('ioredis 5', { port });
      let stores = 0;
      await expectSound((seed, isReliable) => {
        stores += 1;
        const intercept = unreliable(seed, true, isReliable);
        const commands: Intercept = (name, args, run) =>
          /^eval/.test(name) ? intercept(name, args, run) : run();
        const prefix = `clients-${process.pid}-${stores}`;
        return new RedisSessionStore({
          client: intercepting(client, commands),
          prefix,
          events: true,
          reportEnds: true,
          timeoutMs: PATIENT_MS,
        });
      });
    });
  },
);

describeWithPostgres('hosts whose PostgreSQL connections are lost', ({ url }) => {
  test('keep what was acknowledged, and see the result of some order of their calls', async () => {
    const pool = openPool({ url });
    await expectSound(async (seed, isReliable) => {
      const schema = schemaName();
      const stable = new PostgresSessionStore({
        pool,
        schema,
        events: true,
        reportEnds: true,
        timeoutMs: PATIENT_MS,
      });
      (await stable.migrate())._unsafeUnwrap();
      const intercept = unreliable(seed, false, isReliable);
      const connect = async () => {
        const client = await pool.connect();
        return {
          query: (text: string, values?: unknown[]) =>
            intercept('query', [], () => client.query(text, values)),
          release: (destroy?: boolean) => client.release(destroy),
        };
      };
      return new PostgresSessionStore({
        pool: { connect },
        schema,
        events: true,
        timeoutMs: PATIENT_MS,
      });
    });
    await pool.end();
  });
});
