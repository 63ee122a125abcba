import type { SessionStore } from '../store/session-store.js';
import { activity } from './cases/activity.js';
import { appendConditions } from './cases/append-conditions.js';
import { appends } from './cases/appends.js';
import { beginEvents, begins, limitedBegins } from './cases/begins.js';
import { byStatus } from './cases/by-status.js';
import { claimOrder } from './cases/claim-order.js';
import { claims } from './cases/claims.js';
import { commitRaces, limitRaces } from './cases/commit-races.js';
import { deadlines } from './cases/deadlines.js';
import { entryData } from './cases/entry-data.js';
import { eventCounts } from './cases/event-counts.js';
import { events, listeners } from './cases/events.js';
import { extensionEvents, extensions } from './cases/extensions.js';
import { forks } from './cases/forks.js';
import { gracePeriods } from './cases/grace-periods.js';
import { guards, limitGuards } from './cases/guards.js';
import { historyBytes } from './cases/history-bytes.js';
import { historyEffects, historyEvents } from './cases/history-effects.js';
import { historyLimits } from './cases/history-limits.js';
import { historyParts } from './cases/history-parts.js';
import { historyVersions } from './cases/history-versions.js';
import { inactivity, inactivityStatuses } from './cases/inactivity.js';
import { insertion } from './cases/insertion.js';
import { labelSearch } from './cases/label-search.js';
import { labelEvents, labelUpdates } from './cases/label-updates.js';
import { labels } from './cases/labels.js';
import { leaseEvents, leases } from './cases/leases.js';
import { liveLimits } from './cases/live-limits.js';
import { maxEntries } from './cases/max-entries.js';
import { metadata, metadataEvents } from './cases/metadata.js';
import { moves } from './cases/moves.js';
import { names } from './cases/names.js';
import { openingEvents, openingLimits, openings } from './cases/openings.js';
import { operationIds } from './cases/operation-ids.js';
import { ownership } from './cases/ownership.js';
import { paging } from './cases/paging.js';
import { races } from './cases/races.js';
import { randomCommits, randomCommitsAndStatuses } from './cases/random-commits.js';
import { ranges } from './cases/ranges.js';
import { readSizes } from './cases/read-sizes.js';
import { redactionEvents, redactions } from './cases/redactions.js';
import { remains, remainsAndLimits } from './cases/remains.js';
import { removal } from './cases/removal.js';
import { removalEvents, removals, removalsAndLimits } from './cases/removals.js';
import { replacements } from './cases/replacements.js';
import { reports } from './cases/reports.js';
import { rewindEvents, rewinds } from './cases/rewinds.js';
import { sequences } from './cases/sequences.js';
import { severalStatuses } from './cases/several-statuses.js';
import { effectEvents, stateEffects, statusEffects } from './cases/state-effects.js';
import { statusTimes } from './cases/status-times.js';
import { takes } from './cases/takes.js';
import { tenants } from './cases/tenants.js';
import { texts } from './cases/texts.js';
import { twoStores } from './cases/two-stores.js';
import { updateOrder, updateOrderByStatus } from './cases/update-order.js';
import { wakeEvents, wakes } from './cases/wakes.js';
import type { StoreCase } from './store-case.js';

/** What a store may lack, because the service works without it. */
export const OPTIONAL_PARTS = ['statuses', 'events', 'listen'] as const;

/** A part of the contract that a store may lack; see `StoreContractOptions.without`. */
export type OptionalPart = (typeof OPTIONAL_PARTS)[number];

/** What every store does. */
export const requiredCases: readonly StoreCase[] = [
  ...insertion,
  ...openings,
  ...forks,
  ...paging,
  ...ranges,
  ...replacements,
  ...appends,
  ...activity,
  ...extensions,
  ...maxEntries,
  ...historyParts,
  ...entryData,
  ...historyBytes,
  ...historyLimits,
  ...historyVersions,
  ...readSizes,
  ...operationIds,
  ...appendConditions,
  ...rewinds,
  ...redactions,
  ...leases,
  ...claims,
  ...claimOrder,
  ...wakes,
  ...metadata,
  ...labels,
  ...labelUpdates,
  ...labelSearch,
  ...updateOrder,
  ...removal,
  ...sequences,
  ...deadlines,
  ...inactivity,
  ...gracePeriods,
  ...reports,
  ...remains,
  ...tenants,
  ...names,
  ...texts,
  ...ownership,
  ...races,
  ...twoStores,
];

/** As `requiredCases`, for those that speak the port. */
export const requiredPortCases: readonly StoreCase<SessionStore>[] = [
  ...begins,
  ...guards,
  ...stateEffects,
  ...historyEffects,
  ...moves,
  ...removals,
  ...takes,
  ...commitRaces,
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
  statuses: [
    ...byStatus,
    ...statusTimes,
    ...severalStatuses,
    ...updateOrderByStatus,
    ...inactivityStatuses,
    ...liveLimits,
    ...openingLimits,
    ...remainsAndLimits,
  ],
  events: [
    ...events,
    ...eventCounts,
    ...leaseEvents,
    ...wakeEvents,
    ...extensionEvents,
    ...labelEvents,
    ...metadataEvents,
    ...rewindEvents,
    ...openingEvents,
    ...redactionEvents,
  ],
  listen: listeners,
};
