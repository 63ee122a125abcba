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
 * Runs some cases concurrently: those whose names begin with a text, or are in a set. The cases
 * that create 10,000 sessions run only if they are named.
 */
export const runContract = async <S extends SessionStore>(
  cases: string | ReadonlySet<string>,
  makeStore: MakeStore<S>,
  options: StoreContractOptions<S> = {},
): Promise<ContractRun> => {
  const names: string[] = [];
  const failed = new Map<string, string>();
  const skipped: string[] = [];
  const runs: Promise<void>[] = [];
  const isChosen = (name: string): boolean => {
    if (typeof cases !== 'string') return cases.has(name);
    return name === cases || (name.startsWith(cases) && !isLarge(name));
  };
  const collect = (name: string, run: () => Promise<void>): void => {
    if (!isChosen(name)) return;
    names.push(name);
    runs.push(run().catch((error: unknown) => void failed.set(name, messageOf(error))));
  };
  const skip = (name: string) => skipped.push(name);
  describeSessionStore(Object.assign(collect, { skip }), makeStore, options);
  await Promise.all(runs);
  return { names, skipped, failed };
};

/** The names of all cases, and of those that are skipped. No case runs. */
export const casesOf = <S extends SessionStore>(options: StoreContractOptions<S> = {}) => {
  const names: string[] = [];
  const skipped: string[] = [];
  const collect = (name: string) => names.push(name);
  const skip = (name: string) => skipped.push(name);
  const makeStore = (): never => {
    throw new Error('no case runs');
  };
  describeSessionStore<S>(Object.assign(collect, { skip }), makeStore, options);
  return { names, skipped };
};
