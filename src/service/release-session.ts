import { err, ok, type Result } from 'neverthrow';
import { entriesAt } from '../input/entries-input.js';
import { type ParsedRelease, parseRelease } from '../input/turn-input.js';
import { invalidTransition } from '../session/errors.js';
import { acceptsHistoryAt } from '../session/grace-period.js';
import { leaseReleased, releaseState, withoutTurn, withWork } from '../session/lease-state.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { Counters } from '../session/session.js';
import type { StateRecord } from '../session/session-record.js';
import { stateAt, usedState } from '../session/time-limits.js';
import { openTurn } from '../session/turn-state.js';
import type { SessionKey } from '../store/session-store.js';
import { countedState } from './counter-usage.js';
import { fitInput } from './fit-input.js';
import type { Settings } from './settings.js';
import { roomFor } from './take-messages.js';
import type { TurnEntries } from './turn.js';
import type { Released } from './turn-results.js';
import { type Decide, makeStep } from './update-state.js';

/**
 * Input of `release`.
 *
 * @example
 * ```ts
 * await sessions.orThrow.send(id, 'And a tunnel.');
 * const { claimed } = await sessions.orThrow.claim({ holder: 'worker-1', seconds: 30 });
 * for (const { lease: { fencingToken } } of claimed)
 *   await sessions.orThrow.release(id, { fencingToken, error: 'the model is busy' });
 * const { work } = await sessions.orThrow.get(id);
 * console.log(work?.state, work?.error); // retrying the model is busy
 * ```
 *
 * @example
 * ```ts
 * await sessions.orThrow.send(id, 'And a tunnel.');
 * const { claimed } = await sessions.orThrow.claim({ holder: 'worker-1', seconds: 30 });
 * const [entries, usage] = ['How long is it?', { tokens: 900 }];
 * for (const { lease: { fencingToken } } of claimed)
 *   await sessions.orThrow.release(id, { fencingToken, done: true, entries, usage });
 * ```
 */
export interface ReleaseInput {
  /** The fencing token of the lease to end. */
  readonly fencingToken: number;
  /**
   * After a claim: whether the work is done. If not, the session waits for a worker again after a
   * delay. Default: false.
   */
  readonly done?: boolean | undefined;
  /**
   * Only with `done`: what the turn says at its end, stored in the same step. A string or entries,
   * whose default role is `assistant`. Default: none.
   */
  readonly entries?: TurnEntries | undefined;
  /** Only with `done`: what the turn has used, counted in the same step. Default: nothing. */
  readonly usage?: Counters | undefined;
  /**
   * Why the work is not done: the `error` of `work`, which keeps the first 500 characters. At most
   * 64 KiB. Default: none.
   */
  readonly error?: string | undefined;
}

/** The state of a session that was over before its turn was. */
const endedTurn = (current: StateRecord, now: number): StateRecord => {
  const { lease } = current.work;
  const released = lease && { lease: leaseReleased(lease, now) };
  return withoutTurn(withWork(current, released ?? {}), now);
};

const releaseStep =
  (settings: Settings, key: SessionKey, input: ParsedRelease): Decide<OperationErrors['release']> =>
  (current, now) => {
    const { entries: given, usage } = input;
    const { status } = stateAt(current, now);
    const released = releaseState(current, { ...input, random: settings.random() }, now);
    const wasReleased = current.work.lease?.releasedAt !== undefined;
    const isSilent = given.length === 0 && usage === undefined;
    if (released.isErr() || isSilent || wasReleased) return released.map((state) => ({ state }));
    if (!acceptsHistoryAt(current, now)) return err(invalidTransition(status, 'append'));
    const ended = status === 'TERMINATED' ? endedTurn(current, now) : released.value;
    const counted = countedState(settings, usedState(ended, now), usage, now);
    if (counted.isErr()) return err(counted.error);
    const entries = entriesAt(now, given, openTurn(current, now)?.number);
    return ok({
      state: counted.value,
      ...roomFor(settings, key),
      effects: { entries },
    });
  };

export const releaseSession = async (
  settings: Settings,
  key: SessionKey,
  input: unknown,
): Promise<Result<Released, OperationErrors['release']>> => {
  const read = await fitInput(settings, parseRelease(input, settings.policy));
  if (read.isErr()) return err(read.error);
  const stepped = await makeStep(settings, key, releaseStep(settings, key, read.value));
  return stepped.map(({ state }) => (state.work.lease?.cancelled ? { stopped: true } : {}));
};
