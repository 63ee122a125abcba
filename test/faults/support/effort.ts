import { appendFileSync } from 'node:fs';
import { onTestFailed } from 'vitest';
import { databases, databasesAndClients } from '../../support/databases.js';
import { type ClientVersion, clientVersions } from '../../support/redis-clients.js';

/**
 * How hard a fault test tries: a little as part of every run, or in full by `npm run test:faults`.
 * Seeds are fixed, so that what fails fails again; COLLOQUY_SEED tries another seed, or the one
 * that has failed.
 */
const full = process.env['COLLOQUY_FAULTS'] === 'full';

/** The size of a test, which is one of these two. */
export const effort = <T>(short: T, whole: T): T => (full ? whole : short);

/** The clients to try; one in a short run, since the tests of the Redis store try all. */
export const triedClients: readonly ClientVersion[] = clientVersions.slice(
  0,
  effort(1, clientVersions.length),
);

/** The same for tests that run on every kind of database. */
export const triedDatabases = effort(databases, databasesAndClients);

/** So many seeds, which a failing test prints. Call it within the test. */
export const seeds = (count: number): readonly number[] => {
  const given = process.env['COLLOQUY_SEED'];
  const all =
    given === undefined ? Array.from({ length: count }, (_, at) => at + 1) : [Number(given)];
  onTestFailed(() => {
    console.error(`the seeds were ${all.join(', ')}; give one back with COLLOQUY_SEED=<seed>`);
  });
  return all;
};

/** A figure of a fault test, for the table at the end of a full run. */
export interface Figure {
  /** What is promised, in a few words: the same for all figures of a topic. */
  readonly promise: string;
  readonly figure: string;
  readonly value: number | string;
  /** What the figure must be; none where it is only told. */
  readonly bar?: string;
}

/** Records a figure. A test that judges the figure still asserts it. */
export const record = (figure: Figure): void => {
  const file = process.env['COLLOQUY_FIGURES'];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(figure)}\n`);
};
