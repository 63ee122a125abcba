import type { SessionStore } from '../store.js';
import { appends } from './cases/appends.js';
import { bounds } from './cases/bounds.js';
import { changes } from './cases/changes.js';
import { corruption } from './cases/corruption.js';
import { deadlines } from './cases/deadlines.js';
import { events } from './cases/events.js';
import { historyParts } from './cases/history-parts.js';
import { insertion } from './cases/insertion.js';
import { names } from './cases/names.js';
import { operations } from './cases/operations.js';
import { ownership } from './cases/ownership.js';
import { paging } from './cases/paging.js';
import { races } from './cases/races.js';
import { ranges } from './cases/ranges.js';
import { removal } from './cases/removal.js';
import { byStatus } from './cases/statuses.js';
import { tenants } from './cases/tenants.js';
import { texts } from './cases/texts.js';
import type { Corrupt, StoreCase } from './store-case.js';

export type { Corrupt, StoredPart } from './store-case.js';

/** A test runner's `test`: those of vitest, node:test, Jest, Mocha, Bun and Deno fit as they are. */
export type TestFunction = (name: string, run: () => Promise<void>) => unknown;

export interface StoreContractOptions<S extends SessionStore> {
  /**
   * Damages a part of a stored session. With it come the cases that show what a store makes of a record that it
   * cannot read; leave it out where nothing can be damaged from outside.
   */
  readonly corrupt?: Corrupt<S>;
  /** Gives an empty store that lists by status. With it come the cases of that. */
  readonly withStatuses?: () => S | Promise<S>;
  /** Gives an empty store that tells events. With it come the cases of events. */
  readonly withEvents?: () => S | Promise<S>;
}

const cases: readonly StoreCase[] = [
  ...insertion,
  ...paging,
  ...ranges,
  ...changes,
  ...appends,
  ...bounds,
  ...historyParts,
  ...operations,
  ...removal,
  ...deadlines,
  ...tenants,
  ...names,
  ...texts,
  ...ownership,
  ...races,
];

/**
 * The contract of `SessionStore` as tests. `makeStore` is called once a case and gives an empty store: a new one, or
 * one that looks at a corner of a server where nobody else is.
 *
 * ```ts
 * describe('MyStore', () => describeSessionStore(test, () => new MyStore()));
 * ```
 */
export const describeSessionStore = <S extends SessionStore>(
  test: TestFunction,
  makeStore: () => S | Promise<S>,
  { corrupt, withEvents, withStatuses }: StoreContractOptions<S> = {},
): void => {
  for (const { name, run } of cases) test(name, async () => run(await makeStore()));
  if (withStatuses !== undefined) {
    for (const { name, run } of byStatus) test(name, async () => run(await withStatuses()));
  }
  if (withEvents !== undefined) {
    for (const { name, run } of events) test(name, async () => run(await withEvents()));
  }
  if (corrupt === undefined) return;
  for (const { name, run } of corruption) {
    test(name, async () => {
      const store = await makeStore();
      await run(store, (key, part) => corrupt(store, key, part));
    });
  }
};
