import type { TestFunction } from '../../src/testing/index.js';
import { isLong } from './continuous-integration.js';

/** Whether a case of the contract makes 10,000 sessions, which takes seconds on any store. */
export const isLarge = (name: string): boolean => name.includes('10,000 sessions');

/** Independent of the client, and slower than all other topics together. */
const isRandom = (name: string): boolean => name.startsWith('random commits');

/**
 * Registers the whole contract, with random commits from one seed, which has the most parts, and
 * from all seeds with `npm run test:long`.
 */
export const fromOneSeed =
  (register: TestFunction): TestFunction =>
  (name, run) =>
    !isLong && isRandom(name) && !name.endsWith(' seed 101') ? undefined : register(name, run);

/**
 * Registers the contract without the cases that create 10,000 sessions. They depend on the store
 * alone, so they run once on each store, and not for further clients, drivers and deployments.
 * Random commits use one seed, and all seeds with `npm run test:long`.
 */
export const withoutLargeCases =
  (register: TestFunction): TestFunction =>
  (name, run) => {
    const isFurtherSeed = !isLong && isRandom(name) && !name.endsWith(' seed 1');
    return isLarge(name) || isFurtherSeed ? undefined : register(name, run);
  };

/**
 * Topics that depend on the client, the driver or the deployment: encoding of strings, and two
 * stores on one database.
 */
const TOPICS_OF_CLIENTS: ReadonlySet<string> = new Set(['tenants', 'texts', 'two stores']);

const topicOf = (name: string): string => name.slice(0, name.indexOf(':'));

/**
 * Registers a part of the contract for a further client, driver or deployment of a store: the first
 * case of each topic, so that each statement, script and form of reply is used, and all cases of
 * topics that depend on the client, but no random commits. With `npm run test:long`, all cases but
 * the largest.
 */
export const forFurtherClients = (
  register: TestFunction,
  more: readonly string[] = [],
): TestFunction => {
  if (isLong) return withoutLargeCases(register);
  const known = new Set<string>();
  return (name, run) => {
    const topic = topicOf(name);
    const isTried = !known.has(topic) || TOPICS_OF_CLIENTS.has(topic) || more.includes(topic);
    known.add(topic);
    const isLeftOut = isRandom(name) || isLarge(name);
    return isTried && !isLeftOut ? register(name, run) : undefined;
  };
};
