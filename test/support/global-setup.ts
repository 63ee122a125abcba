import type { TestProject } from 'vitest/node';
import { HOW_TO_GET_REDIS } from './redis-binary.js';
import { type RedisAddress, redisAvailable, startRedis } from './redis-server.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The Redis that all tests of a run share, each under a prefix of its own. */
    redis: RedisAddress | undefined;
  }
}

const WARNING = `
######################################################################
#  No redis-server found: every test that needs one is SKIPPED.      #
######################################################################
${HOW_TO_GET_REDIS}
`;

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (redisAvailable()) {
    const { stop, host, port, url } = await startRedis();
    project.provide('redis', { host, port, url });
    return () => stop();
  }
  if (isContinuousIntegration()) throw new Error(`no redis-server found, and CI skips nothing. ${HOW_TO_GET_REDIS}`);
  project.provide('redis', undefined);
  console.warn(WARNING);
  // Once more at the end, where it is seen.
  return async () => console.warn(WARNING);
}

const isContinuousIntegration = () => !['', '0', 'false', undefined].includes(process.env['CI']?.toLowerCase());
