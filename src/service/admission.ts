import { type PageTooLarge, pageTooLarge, type StoreUnavailable, storeUnavailable } from '../errors.js';
import type { Admit } from '../store.js';

/** What `get` and `list` take beside what is asked for. */
export interface ReadOptions {
  /**
   * Asked once the size of the answer is known, in bytes of JSON, and before it is read. `false` refuses it: the answer
   * is `store_unavailable`, `not_applied`. For hosts that bound what they hold in memory at a time.
   */
  readonly admit?: (bytes: number) => boolean;
}

/** Whether the caller has room for an answer. */
export const admittedBy =
  ({ admit }: ReadOptions): Admit<StoreUnavailable> =>
  (bytes) =>
    admit === undefined || admit(bytes)
      ? undefined
      : storeUnavailable('too many large answers are being prepared; try again', 'not_applied');

/** Whether a page fits its budget, and the caller has room for it. One session alone always fits. */
export const admission = (pageBytes: number, options: ReadOptions = {}): Admit<PageTooLarge | StoreUnavailable> => {
  const admitted = admittedBy(options);
  return (bytes, sessions) =>
    sessions > 1 && bytes > pageBytes ? pageTooLarge(bytes, pageBytes) : admitted(bytes, sessions);
};
