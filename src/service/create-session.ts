import { err, ok, type Result } from 'neverthrow';
import type { CreateError } from '../errors.js';
import { conflict, idempotencyMismatch } from '../errors.js';
import { allowedMsOf } from '../input/input-policy.js';
import type { ReadCreation } from '../input/session-input.js';
import { timestampOf } from '../session/clock.js';
import { idOfIdempotencyKey, nextId } from '../session/ids.js';
import type { CreatedSession, SessionLabels, SessionOptions } from '../session/session.js';
import { sessionAt } from '../session/session-at.js';
import { initialState } from '../session/timeline.js';
import { contractBroken } from './perform.js';
import type { Settings } from './settings.js';

/** The session to create. By default the texts are empty. */
export interface CreateSessionInput {
  /** Name of the face: 1 to 256 characters. */
  readonly face: string;
  /** Name of the profile: 1 to 256 characters. */
  readonly profile: string;
  /** The role that the session takes: up to 64 KiB of text unless the host sets another limit. Default: empty. */
  readonly behavior?: string;
  /** Background facts: up to 64 KiB of text unless the host sets another limit. Default: empty. */
  readonly context?: string;
  /** Maximum seconds ACTIVE; 0 for `limits.timeLimit` of the host, or no limit if the host has set none. Default: 0. */
  readonly timeLimit?: number;
  /** Labels by which `list` finds the session, such as `{ user: 'u-1' }`. Default: none. */
  readonly labels?: SessionLabels;
  /**
   * Makes the call safe to repeat, 1 to 256 characters: the same key returns the same session for as long as it exists.
   * With other options or labels it is `idempotency_mismatch`.
   */
  readonly idempotencyKey?: string;
  /** Maximum number of the latest history entries, if an earlier call has created the session. Default: all. */
  readonly historyLimit?: number;
}

/** Maximum number of attempts. An attempt fails if the id is taken, or the session is deleted meanwhile. */
const MAX_ATTEMPTS = 3;

const sameOptions = (a: SessionOptions, b: SessionOptions): boolean =>
  a.face === b.face &&
  a.profile === b.profile &&
  a.behavior === b.behavior &&
  a.context === b.context &&
  a.timeLimit === b.timeLimit;

const sameLabels = (a: SessionLabels = {}, b: SessionLabels = {}): boolean => {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
};

/**
 * The first revision of a session with an idempotency key. Such a session can be deleted and created again under the
 * same id: a change that was computed from the first must not apply to the second.
 */
const randomRevision = (): number => 1 + Math.floor(Math.random() * 2 ** 40);

/**
 * Creates a session under a new id; with an idempotency key, returns the session of an earlier call if there is one.
 */
export const createSession = async (
  { store, tenant, now, ids, terms, policy, recentStates }: Settings,
  { options, labels, idempotencyKey, historyLimit }: ReadCreation,
): Promise<Result<CreatedSession, CreateError>> => {
  const idOfRepeatable = idempotencyKey === undefined ? undefined : await idOfIdempotencyKey(tenant, idempotencyKey);
  let lastId = '';
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const next = idOfRepeatable === undefined ? nextId(ids) : ok(idOfRepeatable);
    if (next.isErr()) return err(next.error);
    const id = next.value;
    lastId = id;
    const time = now();
    if (time.isErr()) return err(time.error);
    const head = { id, options, ...(labels && { labels }), createdAt: timestampOf(time.value) };
    const revision = idOfRepeatable === undefined ? 1 : randomRevision();
    const limitMs = allowedMsOf(policy, options.timeLimit);
    const state = initialState({ limitMs, terms, now: time.value, revision });
    const inserted = await store.insert(tenant, head, state);
    if (inserted.isErr()) return err(inserted.error);
    if (inserted.value === 'inserted') {
      recentStates.add({ tenant, id }, state);
      // A copy for the caller: the store may keep the objects that it receives.
      const own = { ...head, options: { ...options }, ...(labels && { labels: { ...labels } }) };
      return ok(sessionAt({ head: own, state, history: [], historyCount: 0, sequence: 1, birth: '' }, time.value));
    }
    if (inserted.value !== 'taken') throw contractBroken('insert', inserted.value);
    if (idOfRepeatable === undefined) continue;
    const found = await store.find({ tenant, id }, { historyLimit });
    if (found.isErr()) return err(found.error);
    const later = now();
    if (later.isErr()) return err(later.error);
    if (found.value === undefined) continue;
    const { head: before } = found.value;
    const isSame = sameOptions(before.options, options) && sameLabels(before.labels, labels);
    return isSame ? ok({ ...sessionAt(found.value, later.value), repeated: true }) : err(idempotencyMismatch(id));
  }
  return err(conflict(lastId));
};
