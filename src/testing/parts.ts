import { beginsAndRemovals, underLimits } from './cases/begins-and-removals.js';
import { effects } from './cases/effects.js';
import { events, listeners } from './cases/events.js';
import { guards, limitGuards } from './cases/guards.js';
import { historyReads } from './cases/history-reads.js';
import { inbox } from './cases/inbox.js';
import { pages, statuses } from './cases/lists.js';
import { names } from './cases/names.js';
import { ownership } from './cases/ownership.js';
import { queues } from './cases/queues.js';
import { limitRaces, races } from './cases/races.js';
import { readSizes } from './cases/read-sizes.js';
import { searches, searchesByStatus } from './cases/searches.js';
import { checkRandomCommits } from './random/random-commits.js';
import type { Cases } from './store-case.js';

/** The parts without which the service still works. */
export const OPTIONAL_PARTS = ['statuses', 'events', 'listen'] as const;

/** A part of the contract that a store may lack; see `StoreContractOptions.without`. */
export type OptionalPart = (typeof OPTIONAL_PARTS)[number];

/** A slow store gets fewer sequences, so that a case ends before the timeout of the runner. */
const MAX_MS = 1500;

const randomCase = (from: number, hasStatuses: boolean): Cases => ({
  [`random commits: match the model, from seed ${from}`]: (store, second) => {
    const options = { from, sequences: 12, steps: 60, maxMs: MAX_MS };
    return checkRandomCommits({ store, second, hasStatuses }, options);
  },
});

export const requiredCases: Cases = {
  ...beginsAndRemovals,
  ...guards,
  ...effects,
  ...inbox,
  ...queues,
  ...pages,
  ...historyReads,
  ...readSizes,
  ...searches,
  ...names,
  ...ownership,
  ...races,
  ...randomCase(1, false),
};

export const optionalCases: Readonly<Record<OptionalPart, Cases>> = {
  statuses: {
    ...statuses,
    ...searchesByStatus,
    ...underLimits,
    ...limitGuards,
    ...limitRaces,
    ...randomCase(101, true),
    ...randomCase(201, true),
  },
  events,
  listen: listeners,
};
