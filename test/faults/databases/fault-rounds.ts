import { expect, onTestFinished } from 'vitest';
import { upTo } from '../../../src/testing/samples.js';
import { effort, seeds } from '../support/effort.js';
import type { Database } from './database.js';
import { Hosts } from './hosts.js';
import type { Outcome } from './ledger.js';
import { expectTruth } from './verdict.js';

const ROUNDS = effort(1, 12);
const CALLS = effort(80, 1000);
const REFUSALS = effort(8, 40);

/** A database whose writers can be made to fail, and to go on. */
export interface Fault {
  readonly database: Database;
  readonly begin: () => unknown;
  readonly end: () => unknown;
  /** Further environment variables of the hosts. */
  readonly env?: Readonly<Record<string, string>>;
  /** Which answers show the fault; none if the store recovers from it. */
  readonly refused: readonly Exclude<Outcome, 'ok'>[];
  readonly unsoundIn: () => Promise<readonly string[]> | readonly string[];
}

/** Hosts write while a fault begins and ends repeatedly. All of their answers must be true. */
export const expectTruthThrough = async (
  promise: string,
  name: string,
  fault: Fault,
): Promise<void> => {
  const { database, begin, end, env = {}, refused, unsoundIn } = fault;
  const [seed = 1] = seeds(1);
  const hosts = new Hosts(database, { writers: 4, seed, env });
  onTestFinished(() => hosts.killAll());
  hosts.start(effort(1, 3));
  for (const _ of upTo(ROUNDS)) {
    await hosts.calls(CALLS);
    await begin();
    await (refused.length > 0 ? hosts.refusals(REFUSALS) : hosts.calls(CALLS));
    await end();
  }
  await hosts.calls(CALLS);
  const answers = await expectTruth({ promise, fault: name }, database, hosts, unsoundIn);
  expect(answers.ok).toBeGreaterThan(ROUNDS * CALLS * 0.5);
  const told = { not_applied: answers.not_applied > 0, unknown: answers.unknown > 0 };
  for (const outcome of refused) expect(told, name).toMatchObject({ [outcome]: true });
  if (!refused.includes('unknown')) expect(answers.unknown, `${name}: answered unknown`).toBe(0);
};
