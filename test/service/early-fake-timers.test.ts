import { expect, test } from 'vitest';
import { built } from '../support/built.js';
import { REPOSITORY } from '../support/packed-package.js';
import { runNode } from '../support/run.js';

test.each([
  ['functions that do nothing', ['hand']],
  ['fakes with a clock, as Jest and Vitest make them', ['clock']],
  ['fakes, and there is no channel (jsdom)', ['hand', 'no channel']],
])('operations settle if timers were %s before the import', async (_, options) => {
  const program = await built('early-fake-timers');
  const settled = await runNode([program, ...options], REPOSITORY);
  expect(settled.split('\n').filter(Boolean)).toEqual(['memory', 'sqlite', 'lane', 'answer']);
});
