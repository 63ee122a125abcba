import { err, ok, type Result } from 'neverthrow';
import { timestampOf } from '../clock.js';
import {
  type Conflict,
  type CorruptRecord,
  conflict,
  type IdempotencyMismatch,
  type InvalidInput,
  idempotencyMismatch,
  type StoreUnavailable,
} from '../errors.js';
import { idOfKey, nextId } from '../ids.js';
import type { Session, SessionOptions } from '../session/session.js';
import { initialState } from '../session/timeline.js';
import { sessionAt } from '../session/view.js';
import type { ReadSize } from '../store.js';
import { contractBroken } from './contract-broken.js';
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
  /** Of a session that an earlier call has created: at most so many of the latest history entries. Default: all. */
  readonly historyLimit?: number;
}

export type CreateError = InvalidInput | IdempotencyMismatch | Conflict | StoreUnavailable | CorruptRecord;

/** Maximum number of attempts. An id is taken where a host's source of ids repeats itself, or a session is deleted meanwhile. */
const MAX_ATTEMPTS = 3;

const sameOptions = (a: SessionOptions, b: SessionOptions): boolean =>
  a.face === b.face &&
  a.profile === b.profile &&
  a.behavior === b.behavior &&
  a.context === b.context &&
  a.timeLimit === b.timeLimit;

/** Puts a session under `id`, unless there is one already. */
const insert = async (
  { store, tenant, now, idleTimeoutMs }: Settings,
  id: string,
  options: SessionOptions,
  firstRevision = 1,
): Promise<Result<Session | 'taken', CreateError>> => {
  const time = now();
  if (time.isErr()) return err(time.error);
  const head = { id, options, createdAt: timestampOf(time.value) };
  const state = initialState(spanMs(options.timeLimit), { now: time.value, idleTimeoutMs }, firstRevision);
  const inserted = await store.insert(tenant, head, state);
  if (inserted.isErr()) return err(inserted.error);
  if (inserted.value === 'taken') return ok('taken');
  if (inserted.value !== 'inserted') throw contractBroken('insert', inserted.value);
  // The caller's own objects: a store may have kept the ones that it was given.
  const record = { head: { ...head, options: { ...options } }, state, history: [], historyCount: 0, sequence: 1 };
  return ok(sessionAt(record, time.value));
};

/** Creates a session under a new id. */
export const createSession = async (
  settings: Settings,
  options: SessionOptions,
): Promise<Result<Session, CreateError>> => {
  let lastId = '';
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const id = nextId(settings.ids);
    if (id.isErr()) return err(id.error);
    const created = await insert(settings, id.value, options);
    if (created.isErr()) return err(created.error);
    if (created.value !== 'taken') return ok(created.value);
    lastId = id.value;
  }
  return err(conflict(lastId));
};

/**
 * The first revision of a session with an idempotency key. Such a session can be deleted and created again under the same
 * id: a change that was decided on the first must not fit the second.
 */
const randomRevision = (): number => 1 + Math.floor(Math.random() * 2 ** 40);

/** Creates the session that an idempotency key stands for, or finds it where an earlier call has created it. */
export const createSessionOnce = async (
  settings: Settings,
  options: SessionOptions,
  { idempotencyKey, ...size }: ReadSize & { readonly idempotencyKey: string },
): Promise<Result<Session, CreateError>> => {
  const { store, tenant, now } = settings;
  const id = await idOfKey(tenant, idempotencyKey);
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const created = await insert(settings, id, options, randomRevision());
    if (created.isErr()) return err(created.error);
    if (created.value !== 'taken') return ok(created.value);
    const found = await store.find({ tenant, id }, size);
    if (found.isErr()) return err(found.error);
    const time = now();
    if (time.isErr()) return err(time.error);
    if (found.value === undefined) continue;
    return sameOptions(found.value.head.options, options)
      ? ok(sessionAt(found.value, time.value))
      : err(idempotencyMismatch(id));
  }
  return err(conflict(id));
};
