import { err, ok, type Result } from 'neverthrow';
import { parseGetOptions } from '../input/parse-list-query.js';
import { notFound, pageTooLarge } from '../session/errors.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { Session } from '../session/session.js';
import { sessionAt } from '../session/session-at.js';
import type { Answer, ReadSize, SessionKey } from '../store/session-store.js';
import type { ReadOptions } from './list-sessions.js';
import type { Settings } from './settings.js';

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

/** Reads a session as it is now. */
export const getSession = async (
  { store, tenant, now }: Settings,
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
  return ok(sessionAt(found.value, time.value));
};

/** The same with unchecked options. */
export const readSession = (
  settings: Settings,
  { id }: SessionKey,
  options: unknown,
): Answer<Session, OperationErrors['get']> => {
  const size = parseGetOptions(options);
  if (size.isErr()) return err(size.error);
  return getSession(settings, id, size.value);
};
