import { err, ok, type Result } from 'neverthrow';
import { allowedMsOf } from '../input/input-policy.js';
import { isFields } from '../input/parse-fields.js';
import type { ParsedCreation } from '../input/session-input.js';
import { timestampOf } from '../session/clock.js';
import { digestOf } from '../session/digest-of.js';
import type { CreateError, Misconfigured } from '../session/errors.js';
import {
  conflict,
  historyFull,
  idempotencyMismatch,
  invalidInput,
  notFound,
  tooManyActive,
} from '../session/errors.js';
import { idOfIdempotencyKey, nextId } from '../session/ids.js';
import { randomRevision } from '../session/random-revision.js';
import type { CreatedSession, SessionLabels, SessionOptions } from '../session/session.js';
import { sessionAt } from '../session/session-at.js';
import { initialState } from '../session/state-at.js';
import type { Inserted, Opening } from '../store/session-store.js';
import type { NewHistoryEntry } from './append-history.js';
import { activeSessionsOf } from './change-session.js';
import { contractBroken } from './run-operation.js';
import type { Settings } from './settings.js';

/** The session to fork, of the same tenant. */
export interface ForkInput {
  /** The id of the session. */
  readonly id: string;
  /**
   * The position of an entry in its current history: the copy ends with this entry. A copy of more than
   * `limits.pageBytes` is `invalid_input`. Default: the end.
   */
  readonly position?: number;
}

/** The session to create. `behavior` and `context` are empty by default. */
export interface CreateSessionInput
  extends Pick<SessionOptions, 'face' | 'profile'>,
    Partial<Omit<SessionOptions, 'face' | 'profile'>> {
  /**
   * Maximum seconds ACTIVE, at most `limits.timeLimit` of the host, by default 30 days. 0 for that limit, or for none if
   * the host has set no limit. Default: 0.
   */
  readonly timeLimit?: number;
  /** Labels by which `list` finds the session, such as `{ user: 'u-1' }`. `update` changes them. Default: none. */
  readonly labels?: SessionLabels;
  /** Whether the session is started at once; `too_many_active` creates nothing. Default: false, the session is IDLE. */
  readonly start?: boolean;
  /** The first entries of the history, after those of `from`; at most `limits.entriesPerAppend`. Default: none. */
  readonly entries?: readonly NewHistoryEntry[];
  /** Makes the session a fork: it begins with a copy of another session's history. Default: none. */
  readonly from?: ForkInput;
  /**
   * Makes the call safe to repeat, 1 to 256 characters: the same key returns the same session for as long as it exists.
   * With another input it is `idempotency_mismatch`.
   */
  readonly idempotencyKey?: string;
  /** Maximum number of the latest history entries, if an earlier call has created the session. Default: all. */
  readonly historyLimit?: number;
}

/** Maximum number of attempts. An attempt fails if the id is taken, or the session is deleted during the call. */
const MAX_ATTEMPTS = 3;

/** The copied entries of a fork; undefined for any other outcome. */
const copyIn = (inserted: Inserted): Exclude<Inserted, string> | undefined => {
  if (!isFields(inserted)) return undefined;
  const { copied, origin } = inserted;
  return Number.isSafeInteger(copied) && isFields(origin) ? inserted : undefined;
};

/** The error for an opening that the store has refused. */
const refusalOf = (
  outcome: Inserted,
  id: string,
  { from, maxEntries = 0, active }: Opening,
): CreateError | undefined => {
  switch (outcome) {
    case 'missing':
      return notFound(from?.id ?? '');
    case 'invalid_position':
      return invalidInput([{ path: 'from.position', message: 'is not a position in the current history' }]);
    case 'too_large':
      return invalidInput([{ path: 'from', message: `has more than ${from?.maxBytes} bytes of history to copy` }]);
    case 'full':
      return historyFull(id, maxEntries);
    case 'too_many':
      return tooManyActive(id, active?.sessions ?? 0);
    default:
      return undefined;
  }
};

/** The opening of a session; undefined if the session is IDLE and empty. */
const openingOf = (
  settings: Settings,
  { isStarted, entries, from }: ParsedCreation,
  now: number,
): Result<Opening | undefined, Misconfigured> => {
  if (!isStarted && entries.length === 0 && from === undefined) return ok(undefined);
  const { pageBytes, historyEntries } = settings.policy.limits;
  const limit = isStarted ? activeSessionsOf(settings) : ok(undefined);
  return limit.map((sessions) => ({
    entries,
    ...(from && { from: { ...from, maxBytes: pageBytes } }),
    maxEntries: historyEntries,
    ...(sessions !== undefined && { active: { sessions, now } }),
  }));
};

/**
 * Creates a session under a new id; with an idempotency key, returns the session of an earlier call if there is one.
 */
export const createSession = async (
  settings: Settings,
  creation: ParsedCreation,
): Promise<Result<CreatedSession, CreateError>> => {
  const { store, tenant, now, ids, random, terms, policy, recentStates } = settings;
  const { options, labels, isStarted, entries, idempotencyKey, historyLimit } = creation;
  const isKeyed = idempotencyKey !== undefined;
  const idOfRepeatable = isKeyed ? await idOfIdempotencyKey(tenant, idempotencyKey) : undefined;
  const digest = isKeyed ? digestOf(creation.content) : undefined;
  let lastId = '';
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const next = idOfRepeatable === undefined ? nextId(ids) : ok(idOfRepeatable);
    if (next.isErr()) return err(next.error);
    const id = next.value;
    lastId = id;
    const time = now();
    if (time.isErr()) return err(time.error);
    const opening = openingOf(settings, creation, time.value);
    if (opening.isErr()) return err(opening.error);
    const createdAt = timestampOf(time.value);
    const head = { id, options, ...(digest !== undefined && { digest }), createdAt };
    const revision = randomRevision(random);
    const limitMs = allowedMsOf(policy, options.timeLimit);
    const state = initialState({ limitMs, terms, labels, now: time.value, revision, isStarted });
    const answer = await store.insert(tenant, head, state, opening.value);
    if (answer.isErr()) return err(answer.error);
    const inserted = answer.value;
    const copy = creation.from && copyIn(inserted);
    if (copy !== undefined || (inserted === 'inserted' && creation.from === undefined)) {
      recentStates.add({ tenant, id }, state);
      // Copied for the caller, because the store may keep the objects that it receives.
      const own = { ...head, options: { ...options } };
      const { copied = 0, origin } = copy ?? {};
      const history = historyLimit === undefined ? entries : entries.slice(Math.max(0, entries.length - historyLimit));
      const begun = {
        history: history.map((entry) => structuredClone(entry)),
        historyCount: copied + entries.length,
      };
      const record = { head: { ...own, ...(origin && { origin }) }, state, ...begun, sequence: 1, incarnation: '' };
      return ok(sessionAt(record, time.value));
    }
    if (inserted !== 'taken') {
      const refusal = opening.value && refusalOf(inserted, id, opening.value);
      if (refusal === undefined) throw contractBroken('insert', inserted);
      return err(refusal);
    }
    if (idOfRepeatable === undefined) continue;
    const found = await store.find({ tenant, id }, { historyLimit });
    if (found.isErr()) return err(found.error);
    const later = now();
    if (later.isErr()) return err(later.error);
    if (found.value === undefined) continue;
    const isSame = found.value.head.digest === digest;
    return isSame ? ok({ ...sessionAt(found.value, later.value), repeated: true }) : err(idempotencyMismatch(id));
  }
  return err(conflict(lastId));
};
