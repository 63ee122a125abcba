import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { moreIfLong } from '../support/continuous-integration.js';
import { describeStores } from '../support/describe-stores.js';
import { simulateCaps } from './capping.js';
import { simulateCommands } from './commanding.js';
import { foundSeeds } from './found-seeds.js';
import { polled } from './polled.js';
import { simulateTalks } from './simulate-talks.js';

/** Each run uses different seeds. A failure prints its seed; COLLOQUY_SEED repeats it. */
const firstSeed = Number(
  process.env['COLLOQUY_SEED'] ?? Math.floor(Date.now() / 1000) % 1_000_000_000,
);

describeStores('hosts that crash, freeze, lose replies and have wrong clocks', (open) => {
  test('use every operation, and nothing is lost, repeated or written after a lease', async () => {
    const { failure } = await simulateTalks(
      async () => polled(await open()),
      moreIfLong(1, 500),
      firstSeed,
    );
    expect(failure?.story).toBeUndefined();
  });

  test('see the result of some order of their commands', async () => {
    const { failure } = await simulateCommands(open, moreIfLong(2, 2000), firstSeed);
    expect(failure?.story).toBeUndefined();
  });

  test('never exceed their limit of ACTIVE sessions', async () => {
    const { failure } = await simulateCaps(open, moreIfLong(1, 1000), firstSeed);
    expect(failure?.story).toBeUndefined();
  });
});

describe('the simulation on the memory store', () => {
  const open = (): SessionStore => new MemorySessionStore({ events: true, reportEnds: true });

  test('finds nothing with new seeds', async () => {
    for (const [simulated, few] of [
      [simulateCommands, 25],
      [simulateCaps, 25],
      [simulateTalks, 6],
    ] as const) {
      expect(
        (await simulated(open, moreIfLong(few, 10_000), firstSeed)).failure?.story,
      ).toBeUndefined();
    }
  });

  test('finds nothing with the seeds of earlier defects', async () => {
    for (const { seed } of foundSeeds) {
      expect((await simulateTalks(open, [seed])).failure?.story).toBeUndefined();
    }
  });
});
