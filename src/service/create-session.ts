import { err, ok, type Result } from 'neverthrow';
import { type ParsedCreation, parseCreate } from '../input/create-input.js';
import { fitSchemas } from '../input/fit-schemas.js';
import type { InputPolicy } from '../input/input-policy.js';
import { noneIfEmpty } from '../input/json-values.js';
import { conflict, type InvalidInput, idTaken, type Misconfigured } from '../session/errors.js';
import { idOfIdempotencyKey, nextId } from '../session/ids.js';
import { MAX_RACES } from '../session/limits.js';
import type { Optional } from '../session/members.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type {
  Counters,
  CreatedSession,
  SessionLabels,
  SessionOptions,
} from '../session/session.js';
import type { MetadataInputOf, SessionSchemas } from '../session/session-schemas.js';
import { createOnce } from './idempotent-create.js';
import type { NewHistoryEntry } from './new-history-entry.js';
import { tryCreate } from './new-session.js';
import type { Settings } from './settings.js';

/**
 * The session to fork, of the same tenant.
 *
 * @example
 * ```ts
 * const { entries } = await sessions.orThrow.history(id);
 * const fork = await sessions.orThrow.create({
 *   face: 'ada',
 *   profile: 'interviewer',
 *   from: { id, position: entries[0]?.position ?? 0 },
 * });
 * console.log(fork.historyCount, fork.origin?.id === id); // 1 true
 * ```
 */
export interface ForkInput {
  /** The id of the session. */
  readonly id: string;
  /**
   * The position of an entry in its current history: the copy ends with this entry. A copy of more
   * than `limits.forkBytes` fails with `invalid_input`. Default: the end.
   */
  readonly position?: number | undefined;
}

/**
 * The session to create. All strings are empty by default.
 *
 * @example
 * ```ts
 * await sessions.orThrow.create({
 *   id: 'call-7',
 *   face: 'ada',
 *   profile: 'receptionist',
 *   behavior: 'Be brief.',
 *   context: 'The office is closed on Fridays.',
 *   metadata: { line: '+1 555 0123' },
 * });
 * ```
 *
 * @example
 * ```ts
 * const { status } = await sessions.orThrow.create({
 *   ...{ face: 'ada', profile: 'receptionist' },
 *   start: true,
 *   wake: true, // a worker answers
 *   budget: { tokens: 100_000 },
 *   entries: [{ role: 'user', content: 'Are you open?' }],
 * });
 * console.log(status); // ACTIVE
 * ```
 *
 * @example
 * ```ts
 * const call = { face: 'ada', profile: 'receptionist' };
 * await sessions.orThrow.create({ ...call, idempotencyKey: 'call-7' });
 * const again = sessions.create({ ...call, idempotencyKey: 'call-7', historyLimit: 0 });
 * console.log((await unwrap(again)).repeated); // true
 * ```
 */
export interface CreateSessionInput<T extends SessionSchemas = SessionSchemas>
  extends Optional<SessionOptions> {
  /**
   * An id of the caller's own, 1 to 256 characters. Fails with `id_taken` if the tenant already has
   * a session with this id. Default: a new random id.
   */
  readonly id?: string | undefined;
  /**
   * Maximum seconds ACTIVE, at most `limits.timeLimit` of the host, by default 30 days. 0 for that
   * limit, or for none if the host has set no limit. Default: 0.
   */
  readonly timeLimit?: number | undefined;
  /**
   * Labels by which `list` finds the session, for example `{ user: 'u-1' }`. `update` changes them.
   * Default: none.
   */
  readonly labels?: SessionLabels | undefined;
  /**
   * Data of the host, a JSON object of at most `limits.metadataBytes`. `update` changes it. A fork
   * does not copy the metadata of its original. With a schema, missing metadata is checked as `{}`.
   * Default: none.
   */
  readonly metadata?: MetadataInputOf<T> | undefined;
  /**
   * Sums of counters that end the session, for example `{ tokens: 100_000 }`: whole numbers from 1.
   * When one is reached, the session has ended with the reason `budget`. A fork begins at 0.
   * Default: no budget.
   */
  readonly budget?: Counters | undefined;
  /**
   * Start the session in the same step. If that fails with `too_many_active`, nothing is created.
   * Default: false, the session is IDLE.
   */
  readonly start?: boolean | undefined;
  /** Let the session wait for a worker from its creation; see `claim`. Default: false. */
  readonly wake?: boolean | undefined;
  /**
   * The first entries of the history, after those of `from`; at most `limits.entriesPerAppend`.
   * Default: none.
   */
  readonly entries?: readonly NewHistoryEntry<T>[] | undefined;
  /**
   * Make the session a fork, which begins with a copy of another session's history. Default: none.
   */
  readonly from?: ForkInput | undefined;
  /**
   * Make the call safe to repeat, 1 to 256 characters without control characters: the same key
   * returns the same session for as long as it exists. With different input the call fails with
   * `idempotency_mismatch`, or with `id_taken` if the input contains an `id`. Without an `id`, the
   * session's id is derived from the tenant and the key: anyone who knows both can compute it, and
   * after a deletion the key gives the same id again.
   */
  readonly idempotencyKey?: string | undefined;
  /**
   * Maximum number of the latest history entries in the result, copied ones included. Default: all.
   */
  readonly historyLimit?: number | undefined;
}

const createNew = async (
  settings: Settings,
  creation: ParsedCreation,
): Promise<Result<CreatedSession, OperationErrors['create']>> => {
  const { id: own } = creation;
  let lastId = '';
  for (let attempt = 1; attempt <= MAX_RACES; attempt += 1) {
    const next = own === undefined ? nextId(settings.ids) : ok(own);
    if (next.isErr()) return err(next.error);
    lastId = next.value;
    const tried = await tryCreate(settings, creation, lastId);
    if (tried.isErr()) return err(tried.error);
    if (typeof tried.value !== 'string') return ok(tried.value);
    if (own !== undefined && tried.value === 'taken') return err(idTaken(own));
  }
  return err(conflict(lastId));
};

type ReadCreation<C> = Result<C, InvalidInput | Misconfigured>;

/** The checked input of a create; a promise only if the host has schemas. */
export const readCreation = <C extends ParsedCreation>(
  { policy }: Settings,
  parse: (input: unknown, policy: InputPolicy) => Result<C, InvalidInput>,
  input: unknown,
): ReadCreation<C> | Promise<ReadCreation<C>> => {
  const read = parse(input, policy);
  const { schemas, limits } = policy;
  if (schemas === undefined || read.isErr()) return read;
  return fitSchemas(schemas, limits, read.value).then((fitted) =>
    fitted.map((creation) => ({ ...creation, metadata: noneIfEmpty(creation.metadata) })),
  );
};

export const createSession = async (
  settings: Settings,
  input: unknown,
): Promise<Result<CreatedSession, OperationErrors['create']>> => {
  const reading = readCreation(settings, parseCreate, input);
  const read = reading instanceof Promise ? await reading : reading;
  if (read.isErr()) return err(read.error);
  const creation = read.value;
  const { idempotencyKey } = creation;
  if (idempotencyKey === undefined) return createNew(settings, creation);
  const id = creation.id ?? (await idOfIdempotencyKey(settings.tenant, idempotencyKey));
  return createOnce(settings, creation, id);
};
