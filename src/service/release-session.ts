import { err, ok, type Result } from 'neverthrow';
import { entriesAt } from '../input/entries-input.js';
import { type ParsedRelease, parseRelease } from '../input/turn-input.js';
import { digestOf } from '../session/digest-of.js';
import { invalidTransition, leaseLost } from '../session/errors.js';
import { acceptsHistoryAt } from '../session/grace-period.js';
import { releaseState, withoutTurn, withReleaseDigest } from '../session/lease-state.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { Counters } from '../session/session.js';
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
   * whose default role is `assistant`. A call that is repeated stores nothing and succeeds; one with
   * other entries or usage fails with `lease_lost`. Default: none.
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

const releaseStep =
  (
    settings: Settings,
    key: SessionKey,
    input: ParsedRelease,
    digest: string | undefined,
  ): Decide<OperationErrors['release']> =>
  (current, now) => {
    const { entries: given, usage, fencingToken } = input;
    const { status } = stateAt(current, now);
    const { lease } = current.work;
    const released = releaseState(current, { ...input, random: settings.random() }, now);
    if (released.isErr() || digest === undefined) return released.map((state) => ({ state }));
    if (lease?.releasedAt !== undefined) {
      if (lease.releaseDigest !== digest) return err(leaseLost(fencingToken));
      return ok({ state: current });
    }
    if (!acceptsHistoryAt(current, now)) return err(invalidTransition(status, 'append'));
    const ended = status === 'TERMINATED' ? withoutTurn(current, now) : released.value;
    const freed = withReleaseDigest(ended, digest, now);
    const counted = countedState(settings, usedState(freed, now), usage, now);
    if (counted.isErr()) return err(counted.error);
    const entries = entriesAt(now, given, openTurn(current, now)?.number);
    return ok({
      state: counted.value,
      ...roomFor(settings, key),
      effects: { entries },
    });
  };

/** Undefined for no content. Computed from the input, because a schema may have random defaults. */
const contentDigestOf = ({ entries, usage }: ParsedRelease): string | undefined =>
  entries.length === 0 && usage === undefined
    ? undefined
    : digestOf(JSON.stringify([entries, usage]));

export const releaseSession = async (
  settings: Settings,
  key: SessionKey,
  input: unknown,
): Promise<Result<Released, OperationErrors['release']>> => {
  const read = parseRelease(input, settings.policy);
  if (read.isErr()) return err(read.error);
  const fitted = await fitInput(settings, read);
  if (fitted.isErr()) return err(fitted.error);
  const step = releaseStep(settings, key, fitted.value, contentDigestOf(read.value));
  const stepped = await makeStep(settings, key, step);
  return stepped.map(({ state }) => (state.work.lease?.cancelled ? { stopped: true } : {}));
};
