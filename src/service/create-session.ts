import { err, ok, type Result } from 'neverthrow';
import { chain } from '../answer.js';
import { timestampOf } from '../clock.js';
import {
  type Conflict,
  type CorruptRecord,
  conflict,
  type IdempotencyMismatch,
  type InvalidInput,
  idempotencyMismatch,
  type StoreUnavailable,
  storeUnavailable,
} from '../errors.js';
import { idOfKey, nextId } from '../ids.js';
import type { HistoryEntry, Session, SessionOptions } from '../session/session.js';
import { initialState } from '../session/timeline.js';
import { sessionAt } from '../session/view.js';
import type { Answer } from '../store.js';
import { type Settings, spanMs } from './settings.js';

/** What to create. `face` and `profile` are required; the texts are empty and the time unlimited unless given. */
export interface CreateSessionInput {
  readonly face: string;
  readonly profile: string;
  readonly behavior?: string;
  readonly context?: string;
  /** Seconds that the session may spend ACTIVE; 0 or none for no limit. */
  readonly timeLimit?: number;
  /**
   * Makes the call safe to repeat, 1 to 256 characters: the same key gives the same session for as long as it
   * exists. With other options it is `idempotency_mismatch`.
   */
  readonly idempotencyKey?: string;
}

export type CreateError = InvalidInput | IdempotencyMismatch | Conflict | StoreUnavailable | CorruptRecord;

/** An id is taken again only where a host's source of ids repeats itself, or a session is deleted meanwhile. */
const ROUNDS = 3;

const noHistory: readonly HistoryEntry[] = Object.freeze([]);

const sameOptions = (a: SessionOptions, b: SessionOptions): boolean =>
  a.face === b.face &&
  a.profile === b.profile &&
  a.behavior === b.behavior &&
  a.context === b.context &&
  a.timeLimit === b.timeLimit;

/** Puts a session under `id`, unless there is one already. */
const insert = (
  settings: Settings,
  id: string,
  options: SessionOptions,
  firstRevision = 1,
): Answer<Session | 'taken', CreateError> =>
  chain(settings.now(), (now) => {
    const { store, tenant, idleTimeoutMs } = settings;
    const head = Object.freeze({ id, options, createdAt: timestampOf(now) });
    const state = initialState(spanMs(options.timeLimit), { now, idleTimeoutMs }, firstRevision);
    return chain(store.insert(tenant, head, state), (outcome): Result<Session | 'taken', StoreUnavailable> => {
      if (outcome === 'inserted') return ok(sessionAt({ head, state, history: noHistory, sequence: 1 }, now));
      return outcome === 'taken' ? ok(outcome) : err(storeUnavailable('the store gave no outcome', 'unknown'));
    });
  });

/** Creates a session under a new id. */
export const createSession = (settings: Settings, options: SessionOptions): Answer<Session, CreateError> => {
  const attempt = (round: number): Answer<Session, CreateError> =>
    chain(nextId(settings.ids), (id) =>
      chain(insert(settings, id, options), (created): Answer<Session, CreateError> => {
        if (created !== 'taken') return ok(created);
        return round < ROUNDS ? attempt(round + 1) : err(conflict(id));
      }),
    );
  return attempt(1);
};

/**
 * Where the revisions of a session with an idempotency key begin. Such a session can be deleted and created again under
 * the same id: a change that was decided on the first must not fit the second.
 */
const anyRevision = (): number => 1 + Math.floor(Math.random() * 2 ** 40);

/** Creates the session that an idempotency key stands for, or finds it where an earlier call has created it. */
export const createSessionOnce = async (settings: Settings, options: SessionOptions, idempotencyKey: string) => {
  const { store, tenant } = settings;
  const id = await idOfKey(tenant, idempotencyKey);
  const attempt = (round: number): Answer<Session, CreateError> =>
    chain(insert(settings, id, options, anyRevision()), (created): Answer<Session, CreateError> => {
      if (created !== 'taken') return ok(created);
      return chain(store.find({ tenant, id }), (found) =>
        chain(settings.now(), (now): Answer<Session, CreateError> => {
          if (found !== undefined) {
            return sameOptions(found.head.options, options) ? ok(sessionAt(found, now)) : err(idempotencyMismatch(id));
          }
          return round < ROUNDS ? attempt(round + 1) : err(conflict(id));
        }),
      );
    });
  return attempt(1);
};
