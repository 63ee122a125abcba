import type { TestProject } from 'vitest/node';
import { findChromium, HOW_TO_GET_CHROMIUM } from './chromium-binary.js';
import { HOW_TO_GET_REDIS } from './redis-binary.js';
import { type RedisAddress, redisAvailable, startRedis } from './redis-server.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The Redis that all tests of a run share, each under a prefix of its own. */
    redis: RedisAddress | undefined;
  }
}

const warningOf = (what: string, howToGet: string): string => `
######################################################################
#  ${`No ${what} found: every test that needs one is SKIPPED.`.padEnd(64)}  #
######################################################################
${howToGet}
`;

/** Says in plain sight that something to test with is missing; where nothing may be skipped, that is a failure. */
function missing(what: string, howToGet: string): string {
  if (isContinuousIntegration()) throw new Error(`no ${what} found, and CI skips nothing. ${howToGet}`);
  const warning = warningOf(what, howToGet);
  console.warn(warning);
  return warning;
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const hasRedis = redisAvailable();
  const warnings = [
    ...(hasRedis ? [] : [missing('redis-server', HOW_TO_GET_REDIS)]),
    ...(findChromium() === undefined ? [missing('Chromium', HOW_TO_GET_CHROMIUM)] : []),
  ];
  const redis = hasRedis ? await startRedis() : undefined;
  project.provide('redis', redis && { host: redis.host, port: redis.port, url: redis.url });
  return async () => {
    await redis?.stop();
    // Once more at the end, where it is seen.
    for (const warning of warnings) console.warn(warning);
  };
}

const isContinuousIntegration = () => !['', '0', 'false', undefined].includes(process.env['CI']?.toLowerCase());
