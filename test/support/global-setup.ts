import type { TestProject } from 'vitest/node';
import { startBuilder } from './builder.js';
import { isContinuousIntegration } from './continuous-integration.js';
import { type PostgresAddress, startPostgres } from './postgres-server.js';
import { type RedisAddress, startRedis } from './redis-server.js';
import { requirements } from './requirements.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The Redis that all tests of a run share, each under a prefix of its own. */
    redis: RedisAddress | undefined;
    /** The PostgreSQL that all tests of a run share, each in a schema or a database of its own. */
    postgres: PostgresAddress | undefined;
    /** The `Builder` of a run. */
    builder: string;
  }
}

/** One line for each missing program: what is skipped, and how to install it. */
function linesOfMissing(): readonly string[] {
  return Object.values(requirements)
    .filter(({ isMet }) => !isMet())
    .map(({ name, howToGet, isNeededInCi }) => {
      if (isContinuousIntegration && isNeededInCi)
        throw new Error(`CI skips no test that needs ${name}. ${howToGet}`);
      return `SKIPPED: all tests that need ${name}, since this machine has none. ${howToGet}`;
    });
}

/** Nobody restarts the PostgreSQL that all tests share, and no statement runs long enough. */
const inHaste = ['full_page_writes=off', 'jit=off'].flatMap((setting) => ['-c', setting]);

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const missing = linesOfMissing();
  const [builder, redis, postgres] = await Promise.all([
    startBuilder(),
    requirements.redis.isMet() ? startRedis() : undefined,
    requirements.postgres.isMet() ? startPostgres({ args: inHaste }) : undefined,
  ]);
  project.provide('redis', redis && { host: redis.host, port: redis.port, url: redis.url });
  project.provide(
    'postgres',
    postgres && { host: postgres.host, port: postgres.port, url: postgres.url },
  );
  project.provide('builder', builder.url);
  return async () => {
    await Promise.all([builder.stop(), redis?.stop(), postgres?.stop()]);
    // Printed last, so that nobody overlooks it.
    for (const line of missing) console.warn(`\n${line}`);
  };
}
