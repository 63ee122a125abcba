import { upTo } from './samples.js';
import type { TodaysStore } from './todays-store.js';

/** Number of writers in a race. */
export const WRITERS = 50;

/** Runs `write` for all writers at once. Every other writer uses the second store. */
export const race = <T>(
  store: TodaysStore,
  second: TodaysStore,
  write: (store: TodaysStore, writer: number) => Promise<T>,
): Promise<readonly T[]> =>
  Promise.all(upTo(WRITERS).map((writer) => write(writer % 2 === 0 ? store : second, writer)));
