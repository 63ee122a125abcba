import { err, ok, type Result } from 'neverthrow';
import { parseGetOrCreate } from '../input/create-input.js';
import { parseReadOptions } from '../input/list-query.js';
import { conflict } from '../session/errors.js';
import { MAX_RACES } from '../session/limits.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { Session } from '../session/session.js';
import type { SessionSchemas } from '../session/session-schemas.js';
import { type CreateSessionInput, readCreation } from './create-session.js';
import { tryCreate } from './new-session.js';
import type { GetOrCreateResult } from './operation-results.js';
import { getSession, type ReadOptions } from './read-session.js';
import type { Settings } from './settings.js';

/**
 * The session to get, or to create if there is none.
 *
 * @example
 * ```ts
 * const { status } = await sessions.orThrow.getOrCreate({
 *   id: 'chat-u-1',
 *   ...{ face: 'ada', profile: 'tutor' },
 *   labels: { user: 'u-1' },
 *   budget: { microUsd: 1_500_000 }, // $1.50
 *   start: false,
 * });
 * console.log(status); // IDLE
 * ```
 */
export interface GetOrCreateInput<T extends SessionSchemas = SessionSchemas>
  extends Omit<CreateSessionInput<T>, 'id' | 'idempotencyKey' | 'start'> {
  /** The id, 1 to 256 characters. */
  readonly id: string;
  /** Start a new session in the same step; an existing session stays as it is. Default: true. */
  readonly start?: boolean | undefined;
}

export const getOrCreate = async (
  settings: Settings,
  input: unknown,
  options: ReadOptions,
): Promise<Result<GetOrCreateResult, OperationErrors['getOrCreate']>> => {
  const size = parseReadOptions(options);
  if (size.isErr()) return err(size.error);
  const reading = readCreation(settings, parseGetOrCreate, input);
  const read = reading instanceof Promise ? await reading : reading;
  if (read.isErr()) return err(read.error);
  const creation = read.value;
  const { id, historyLimit } = creation;
  for (let attempt = 1; attempt <= MAX_RACES; attempt += 1) {
    const found: Result<Session, OperationErrors['get']> = await getSession(settings, id, {
      ...size.value,
      historyLimit,
    });
    if (found.isOk()) return ok({ ...found.value, created: false });
    if (found.error.type !== 'not_found') return err(found.error);
    const tried = await tryCreate(settings, creation, id);
    if (tried.isErr()) return err(tried.error);
    if (typeof tried.value !== 'string') return ok({ ...tried.value, created: true });
  }
  return err(conflict(id));
};
