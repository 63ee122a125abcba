import type { SessionStore } from '../store/session-store.js';
import { beginEvents, begins, limitedBegins } from './cases/begins.js';
import { byStatus } from './cases/by-status.js';
import { entryData } from './cases/entry-data.js';
import { eventCounts } from './cases/event-counts.js';
import { events, listeners } from './cases/events.js';
import { guards, limitGuards } from './cases/guards.js';
import { historyBytes } from './cases/history-bytes.js';
import { historyEffects, historyEvents } from './cases/history-effects.js';
import { historyLimits } from './cases/history-limits.js';
import { historyParts } from './cases/history-parts.js';
import { historyVersions } from './cases/history-versions.js';
import { labelSearch } from './cases/label-search.js';
import { labels } from './cases/labels.js';
import { metadata, metadataEvents } from './cases/metadata.js';
import { moves } from './cases/moves.js';
import { names } from './cases/names.js';
import { ownership } from './cases/ownership.js';
import { paging } from './cases/paging.js';
import { limitRaces, races } from './cases/races.js';
import { randomCommits, randomCommitsAndStatuses } from './cases/random-commits.js';
import { ranges } from './cases/ranges.js';
import { readSizes } from './cases/read-sizes.js';
import { removalEvents, removals, removalsAndLimits } from './cases/removals.js';
import { sequences } from './cases/sequences.js';
import { severalStatuses } from './cases/several-statuses.js';
import { effectEvents, stateEffects, statusEffects } from './cases/state-effects.js';
import { statusTimes } from './cases/status-times.js';
import { takes } from './cases/takes.js';
import { tenants } from './cases/tenants.js';
import { texts } from './cases/texts.js';
import { twoStores } from './cases/two-stores.js';
import { updateOrder, updateOrderByStatus } from './cases/update-order.js';
import type { StoreCase } from './store-case.js';

/** What a store may lack, because the service works without it. */
export const OPTIONAL_PARTS = ['statuses', 'events', 'listen'] as const;

/** A part of the contract that a store may lack; see `StoreContractOptions.without`. */
export type OptionalPart = (typeof OPTIONAL_PARTS)[number];

/** What every store does. */
export const requiredCases: readonly StoreCase[] = [
  ...paging,
  ...ranges,
  ...historyParts,
  ...entryData,
  ...historyBytes,
  ...historyVersions,
  ...readSizes,
  ...metadata,
  ...labels,
  ...labelSearch,
  ...updateOrder,
  ...sequences,
  ...tenants,
  ...names,
  ...texts,
  ...twoStores,
];

/** As `requiredCases`, for those that speak the port. */
export const requiredPortCases: readonly StoreCase<SessionStore>[] = [
  ...begins,
  ...guards,
  ...stateEffects,
  ...historyEffects,
  ...historyLimits,
  ...moves,
  ...removals,
  ...takes,
  ...races,
  ...ownership,
  ...randomCommits,
];

/** As `optionalCases`, for those that speak the port. */
export const optionalPortCases: Readonly<Record<OptionalPart, readonly StoreCase<SessionStore>[]>> =
  {
    statuses: [
      ...limitedBegins,
      ...limitGuards,
      ...statusEffects,
      ...removalsAndLimits,
      ...limitRaces,
      ...randomCommitsAndStatuses,
    ],
    events: [...beginEvents, ...effectEvents, ...historyEvents, ...removalEvents],
    listen: [],
  };

/** The cases of each part that a store may lack. */
export const optionalCases: Readonly<Record<OptionalPart, readonly StoreCase[]>> = {
  statuses: [...byStatus, ...statusTimes, ...severalStatuses, ...updateOrderByStatus],
  events: [...events, ...eventCounts, ...metadataEvents],
  listen: listeners,
};
