import type { SessionStore } from '../../src/store/session-store.js';
import {
  describeSessionStore,
  type MakeStore,
  type StoreContractOptions,
} from '../../src/testing/index.js';
import { isLarge } from '../support/contract-cases.js';

export interface ContractRun {
  /** The names of all cases that were run. */
  readonly names: readonly string[];
  /** The names of those that were skipped. */
  readonly skipped: readonly string[];
  /** The names of the cases that failed, and why. */
  readonly failed: ReadonlyMap<string, string>;
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/**
 * Runs the cases whose names begin with `group`, concurrently. The largest one runs only where it
 * is the group.
 */
export const runContract = async <S extends SessionStore>(
  group: string,
  makeStore: MakeStore<S>,
  options: StoreContractOptions<S> = {},
): Promise<ContractRun> => {
  const names: string[] = [];
  const failed = new Map<string, string>();
  const skipped: string[] = [];
  const runs: Promise<void>[] = [];
  const collect = (name: string, run: () => Promise<void>): void => {
    if (!name.startsWith(group)) return;
    if (isLarge(name) && name !== group) return;
    names.push(name);
    runs.push(run().catch((error: unknown) => void failed.set(name, messageOf(error))));
  };
  const skip = (name: string) => skipped.push(name);
  describeSessionStore(Object.assign(collect, { skip }), makeStore, options);
  await Promise.all(runs);
  return { names, skipped, failed };
};
