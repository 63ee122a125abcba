import type { PageRange } from '../../src/store/session-store.js';
import { NOON } from '../../src/testing/samples.js';

/** Ranges that each need one index, by name. */
export const listRanges: readonly (readonly [name: string, range: Partial<PageRange>])[] = [
  ['all', {}],
  ['all, the oldest first', { order: 'oldest' }],
  ['those with a status', { status: { anyOf: ['ACTIVE'], now: NOON } }],
  [
    'those with one of three statuses',
    { status: { anyOf: ['ACTIVE', 'PAUSED', 'TERMINATED'], now: NOON } },
  ],
  ['those with a label', { labels: { user: 'u-1' } }],
];
