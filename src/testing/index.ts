import type { SessionStore } from '../store/session-store.js';
import { boundedStore } from './bounded-store.js';
import { activity } from './cases/activity.js';
import { appendConditions } from './cases/append-conditions.js';
import { appends } from './cases/appends.js';
import { byStatus } from './cases/by-status.js';
import { claims } from './cases/claims.js';
import { corruption } from './cases/corruption.js';
import { deadlines } from './cases/deadlines.js';
import { entryData } from './cases/entry-data.js';
import { eventCounts } from './cases/event-counts.js';
import { events } from './cases/events.js';
import { extensionEvents, extensions } from './cases/extensions.js';
import { forks } from './cases/forks.js';
import { gracePeriods } from './cases/grace-periods.js';
import { historyBytes } from './cases/history-bytes.js';
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
import { names } from './cases/names.js';
import { openingEvents, openingLimits, openings } from './cases/openings.js';
import { operationIds } from './cases/operation-ids.js';
import { ownership } from './cases/ownership.js';
import { paging } from './cases/paging.js';
import { races } from './cases/races.js';
import { ranges } from './cases/ranges.js';
import { readSizes } from './cases/read-sizes.js';
import { redactionEvents, redactions } from './cases/redactions.js';
import { remains, remainsAndLimits } from './cases/remains.js';
import { removal } from './cases/removal.js';
import { replacements } from './cases/replacements.js';
import { reports } from './cases/reports.js';
import { rewindEvents, rewinds } from './cases/rewinds.js';
import { sequences } from './cases/sequences.js';
import { severalStatuses } from './cases/several-statuses.js';
import { statusTimes } from './cases/status-times.js';
import { tenants } from './cases/tenants.js';
import { texts } from './cases/texts.js';
import { twoStores } from './cases/two-stores.js';
import { updateOrder, updateOrderByStatus } from './cases/update-order.js';
import { wakeEvents, wakes } from './cases/wakes.js';
import { type MakeStore, withOpenedStore } from './opened-store.js';
import type { Corrupt, StoreCase } from './store-case.js';

export type { MakeStore, OpenedStore } from './opened-store.js';
export type { Corrupt, StoredPart } from './store-case.js';

/** The `test` function of a test runner. Those of vitest, node:test, Jest, Mocha, Bun and Deno fit. */
export type TestFunction = (name: string, run: () => Promise<void>) => unknown;

/** Options of `describeSessionStore`. */
export interface StoreContractOptions<S extends SessionStore> {
  /**
   * Damages a part of a stored session. Adds the cases on records that cannot be read. Omit it if nothing outside the
   * store can damage a record.
   */
  readonly corrupt?: Corrupt<S>;
  /**
   * Creates an empty store that lists by status. Adds the cases on lists by status and on limits of live sessions.
   */
  readonly withStatuses?: MakeStore<S>;
  /** Creates an empty store with events. Adds the cases on events. */
  readonly withEvents?: MakeStore<S>;
  /**
   * Maximum duration in milliseconds of a single call of the store, of a function that creates a store, or of `close`.
   * A case with a slower call fails and names the call. Default: 30000.
   */
  readonly timeoutMs?: number;
}

/** Maximum delay of a timer; a longer one would fire at once. */
const MAXIMUM_TIMEOUT_MS = 2 ** 31 - 1;

const cases: readonly StoreCase[] = [
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

/**
 * The contract of `SessionStore` as tests. `makeStore` is called once for each case, and returns an empty store or an
 * `OpenedStore`.
 *
 * ```ts
 * describe('MyStore', () => describeSessionStore(test, () => new MyStore()));
 * ```
 *
 * Throws a `TypeError` if an option is wrong.
 */
export const describeSessionStore = <S extends SessionStore>(
  test: TestFunction,
  makeStore: MakeStore<S>,
  { corrupt, withEvents, withStatuses, timeoutMs = 30_000 }: StoreContractOptions<S> = {},
): void => {
  if (!(timeoutMs > 0 && timeoutMs <= MAXIMUM_TIMEOUT_MS)) {
    throw new TypeError(`timeoutMs must be a number above 0 and at most ${MAXIMUM_TIMEOUT_MS}`);
  }
  const bounded = (store: SessionStore): SessionStore => boundedStore(store, timeoutMs);
  const add = (name: string, make: MakeStore<S>, run: (store: S, second: S) => Promise<void>): void => {
    test(name, () => withOpenedStore(make, timeoutMs, run));
  };
  const addAll = (all: readonly StoreCase[], make: MakeStore<S>): void => {
    for (const { name, run } of all) {
      add(name, make, (store, second) => run(bounded(store), bounded(second), timeoutMs));
    }
  };

  addAll(cases, makeStore);
  if (withStatuses !== undefined)
    addAll(
      [
        ...byStatus,
        ...statusTimes,
        ...severalStatuses,
        ...updateOrderByStatus,
        ...inactivityStatuses,
        ...liveLimits,
        ...openingLimits,
        ...remainsAndLimits,
      ],
      withStatuses,
    );
  if (withEvents !== undefined)
    addAll(
      [
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
      withEvents,
    );
  if (corrupt !== undefined) {
    for (const { name, run } of corruption) {
      add(name, makeStore, (store) => run(bounded(store), (key, part) => corrupt(store, key, part)));
    }
  }
};
