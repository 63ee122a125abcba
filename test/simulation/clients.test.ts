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

const SEEDS = moreIfLong(1, 300);

const cut = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

/** What becomes of each command of a client follows from the seed: it is lost, its answer is lost, or it is sent twice. */
const unreliable = (seed: number, isResent: boolean): Intercept => {
  let commands = 0;
  return async (_name, _args, run) => {
    commands += 1;
    const chance = chanceOf(seed, `command ${commands}`);
    if (chance < 0.01) throw cut();
    if (chance < 0.03) {
      await run();
      throw cut();
    }
    // A client that has lost its connection sends again what was not answered.
    if (chance < 0.05 && isResent) await run();
    return run();
  };
};

const expectSound = async (open: (seed: number) => SessionStore | Promise<SessionStore>): Promise<void> => {
  expect((await simulateTalks(async (seed) => polled(await open(seed)), SEEDS)).failure?.story).toBeUndefined();
  expect((await simulateCommands(open, SEEDS)).failure?.story).toBeUndefined();
};

describeWithRedis('hosts whose Redis client loses commands and answers, and sends commands twice', ({ port }) => {
  test('keep what was acknowledged, and see what some order of their calls gives', async () => {
    const client = openClient('ioredis 5', { port });
    let stores = 0;
    await expectSound((seed) => {
      stores += 1;
      const intercept = unreliable(seed, true);
      const commands: Intercept = (name, args, run) => (/^eval/.test(name) ? intercept(name, args, run) : run());
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
});

describeWithPostgres('hosts whose PostgreSQL connections are lost', ({ url }) => {
  test('keep what was acknowledged, and see what some order of their calls gives', async () => {
    const pool = openPool({ url });
    await expectSound(async (seed) => {
      const schema = schemaName();
      const stable = new PostgresSessionStore({ pool, schema, events: true, reportEnds: true, timeoutMs: PATIENT_MS });
      (await stable.migrate())._unsafeUnwrap();
      const intercept = unreliable(seed, false);
      const connect = async () => {
        const client = await pool.connect();
        return {
          query: (text: string, values?: unknown[]) => intercept('query', [], () => client.query(text, values)),
          release: (destroy?: boolean) => client.release(destroy),
        };
      };
      return new PostgresSessionStore({ pool: { connect }, schema, events: true, timeoutMs: PATIENT_MS });
    });
    await pool.end();
  });
});
