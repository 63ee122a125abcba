import { begins, limitedBegins } from './cases/begins.js';
import { events, listeners } from './cases/events.js';
import { guards, limitGuards } from './cases/guards.js';
import { historyEffects } from './cases/history-effects.js';
import { historyReads } from './cases/history-reads.js';
import { inbox } from './cases/inbox.js';
import { pages, statuses } from './cases/lists.js';
import { names, texts } from './cases/names.js';
import { ownership, twoStores } from './cases/ownership.js';
import { moves, takes } from './cases/queues.js';
import { limitRaces, races } from './cases/races.js';
import { readSizes } from './cases/read-sizes.js';
import { removals, removalsAndLimits } from './cases/removals.js';
import { labels, searches, searchesByStatus } from './cases/searches.js';
import { spends, stateEffects } from './cases/state-effects.js';
import { checkRandomCommits } from './random/random-commits.js';
import type { Cases } from './store-case.js';

/** What a store may lack, because the service works without it. */
export const OPTIONAL_PARTS = ['statuses', 'events', 'listen'] as const;

/** A part of the contract that a store may lack; see `StoreContractOptions.without`. */
export type OptionalPart = (typeof OPTIONAL_PARTS)[number];

/** A slow store is given fewer sequences, so that a case ends before the runner's timeout. */
const MAX_MS = 1500;

const randomCase = (from: number, hasStatuses: boolean): Cases => ({
  [`random commits: match the model, from seed ${from}`]: (store, second) => {
    const options = { from, sequences: 12, steps: 60, maxMs: MAX_MS };
    return checkRandomCommits({ store, second, hasStatuses }, options);
  },
});

/** What every store does. */
export const requiredCases: Cases = {
  ...begins,
  ...guards,
  ...stateEffects,
  ...spends,
  ...historyEffects,
  ...inbox,
  ...moves,
  ...removals,
  ...takes,
  ...pages,
  ...historyReads,
  ...readSizes,
  ...labels,
  ...searches,
  ...names,
  ...texts,
  ...ownership,
  ...races,
  ...twoStores,
  ...randomCase(1, false),
};

/** The cases of each part that a store may lack. */
export const optionalCases: Readonly<Record<OptionalPart, Cases>> = {
  statuses: {
    ...statuses,
    ...searchesByStatus,
    ...limitedBegins,
    ...limitGuards,
    ...removalsAndLimits,
    ...limitRaces,
    ...randomCase(101, true),
    ...randomCase(201, true),
  },
  events,
  listen: listeners,
};
