import { err, type Result } from 'neverthrow';
import { parseGetOptions } from '../input/list-query.js';
import { notFound, pageTooLarge } from '../session/errors.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { Session } from '../session/session.js';
import { sessionAt } from '../session/session-at.js';
import type { Answer, ReadSize, SessionKey } from '../store/session-store.js';
import { checkRead } from './check-reads.js';
import type { Settings } from './settings.js';

/**
 * Options of reads.
 *
 * @example
 * ```ts
 * const found = await sessions.get(id, { maxBytes: 10 });
 * console.log(found.isErr() && found.error.type); // page_too_large
 * ```
 */
export interface ReadOptions {
  /**
   * Maximum size of the answer in approximate bytes of JSON; a larger answer fails with
   * `page_too_large`, and no session is read. It lets a host limit the memory of pending answers.
   * Default: only pages of several sessions have a maximum, `limits.pageBytes`, which applies in any
   * case.
   */
  readonly maxBytes?: number | undefined;
}

/**
 * Options of `get`.
 *
 * @example
 * ```ts
 * const { history, historyCount } = await sessions.orThrow.get(id, { historyLimit: 1 });
 * console.log(history.length, historyCount); // 1 2
 * ```
 */
export interface GetOptions extends ReadOptions {
  /**
   * Maximum number of the latest history entries, from 0; `historyCount` is the number of all.
   * Default: all.
   */
  readonly historyLimit?: number | undefined;
}

export const getSession = async (
  { store, tenant, now, policy }: Settings,
  id: string,
  size: ReadSize,
): Promise<Result<Session, OperationErrors['get']>> => {
  const found = await store.find({ tenant, id }, size);
  if (found.isErr()) {
    if (found.error.type !== 'too_large') return err(found.error);
    return err(pageTooLarge(found.error.bytes, size.maxBytes ?? 0));
  }
  const time = now();
  if (time.isErr()) return err(time.error);
  if (found.value === undefined) return err(notFound(id));
  return checkRead(policy, id, sessionAt(found.value, time.value));
};

export const readSession = (
  settings: Settings,
  { id }: SessionKey,
  options: unknown,
): Answer<Session, OperationErrors['get']> => {
  const size = parseGetOptions(options);
  if (size.isErr()) return err(size.error);
  return getSession(settings, id, size.value);
};
