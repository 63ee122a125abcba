import type { TestProject } from 'vitest/node';
import { isContinuousIntegration } from './continuous-integration.js';
import { type RedisAddress, startRedis } from './redis-server.js';
import { requirements } from './requirements.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The Redis that all tests of a run share, each under a prefix of its own. */
    redis: RedisAddress | undefined;
  }
}

/** A line for each thing that this machine lacks: what is skipped, and how to get what it needs. */
function linesOfMissing(): readonly string[] {
  return Object.values(requirements)
    .filter(({ isMet }) => !isMet())
    .map(({ name, howToGet, isNeededInCi }) => {
      if (isContinuousIntegration && isNeededInCi) throw new Error(`CI skips no test that needs ${name}. ${howToGet}`);
      return `SKIPPED: all tests that need ${name}, since this machine has none. ${howToGet}`;
    });
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const missing = linesOfMissing();
  const redis = requirements.redis.isMet() ? await startRedis() : undefined;
  project.provide('redis', redis && { host: redis.host, port: redis.port, url: redis.url });
  return async () => {
    await redis?.stop();
    // At the end, where they are seen.
    for (const line of missing) console.warn(`\n${line}`);
  };
}
