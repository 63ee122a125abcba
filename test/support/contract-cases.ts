import type { TestFunction } from '../../src/testing/index.js';
import { isLong } from './continuous-integration.js';

/** Whether a case of the contract makes 10,000 sessions, which takes seconds on any store. */
export const isLarge = (name: string): boolean => name.includes('10,000 sessions');

/** What no client changes, and what costs more than all other topics together. */
const isRandom = (name: string): boolean => name.startsWith('random commits');

/**
 * Registers the whole contract, but random commits from one seed, that of the most parts, and with
 * `npm run test:long` from all.
 */
export const fromOneSeed =
  (register: TestFunction): TestFunction =>
  (name, run) =>
    !isLong && isRandom(name) && !name.endsWith(' seed 101') ? undefined : register(name, run);

/**
 * Registers the cases of the contract but those that make 10,000 sessions. What they show depends
 * on the store alone: they are run once on each, and left out for further clients, drivers and
 * deployments of the same store. Random commits are tried from one seed, and with `npm run
 * test:long` from all.
 */
export const withoutLargeCases =
  (register: TestFunction): TestFunction =>
  (name, run) => {
    const isFurtherSeed = !isLong && isRandom(name) && !name.endsWith(' seed 1');
    return isLarge(name) || isFurtherSeed ? undefined : register(name, run);
  };

/**
 * What a client, a driver or a deployment may change: how texts travel, and what two stores see.
 */
const TOPICS_OF_CLIENTS: ReadonlySet<string> = new Set(['tenants', 'texts', 'two stores']);

const topicOf = (name: string): string => name.slice(0, name.indexOf(':'));

/**
 * Registers a part of the contract for a further client, driver or deployment of a store that runs
 * the whole of it elsewhere: the first case of each topic, so that each statement, script and form
 * of answer is used, and all cases of the topics that such a thing may change, but no random
 * commits. With `npm run test:long`, all cases but the largest.
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
