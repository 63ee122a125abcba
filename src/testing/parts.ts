import { begins, limitedBegins } from './cases/begins.js';
import { events, listeners } from './cases/events.js';
import { guards, limitGuards } from './cases/guards.js';
import { historyEffects } from './cases/history-effects.js';
import { historyParts } from './cases/history-parts.js';
import { historyReads } from './cases/history-reads.js';
import { inbox } from './cases/inbox.js';
import { labels } from './cases/labels.js';
import { moves } from './cases/moves.js';
import { names } from './cases/names.js';
import { ownership } from './cases/ownership.js';
import { pages } from './cases/pages.js';
import { limitRaces, races } from './cases/races.js';
import { randomCommits, randomCommitsAndStatuses } from './cases/random-commits.js';
import { readSizes } from './cases/read-sizes.js';
import { removals, removalsAndLimits } from './cases/removals.js';
import { searches, searchesByStatus } from './cases/searches.js';
import { spends } from './cases/spends.js';
import { stateEffects } from './cases/state-effects.js';
import { statuses } from './cases/statuses.js';
import { takes } from './cases/takes.js';
import { texts } from './cases/texts.js';
import { twoStores } from './cases/two-stores.js';
import type { PortCase } from './store-case.js';

/** What a store may lack, because the service works without it. */
export const OPTIONAL_PARTS = ['statuses', 'events', 'listen'] as const;

/** A part of the contract that a store may lack; see `StoreContractOptions.without`. */
export type OptionalPart = (typeof OPTIONAL_PARTS)[number];

/** What every store does. */
export const requiredCases: readonly PortCase[] = [
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
  ...historyParts,
  ...historyReads,
  ...readSizes,
  ...labels,
  ...searches,
  ...names,
  ...texts,
  ...ownership,
  ...races,
  ...twoStores,
  ...randomCommits,
];

/** The cases of each part that a store may lack. */
export const optionalCases: Readonly<Record<OptionalPart, readonly PortCase[]>> = {
  statuses: [
    ...statuses,
    ...searchesByStatus,
    ...limitedBegins,
    ...limitGuards,
    ...removalsAndLimits,
    ...limitRaces,
    ...randomCommitsAndStatuses,
  ],
  events,
  listen: listeners,
};
