import type { ResultAsync } from 'neverthrow';
import type { SessionLease, TakenLease } from '../session/session.js';
import type { SessionSchemas } from '../session/session-schemas.js';
import type { CancelOptions } from './cancel-work.js';
import type { ClaimInput } from './claim-sessions.js';
import type { LeaseInput, RenewInput } from './lease-session.js';
import type { SharedErrors, SharedResults } from './operation-contract.js';
import type { WaitingCount } from './operation-results.js';
import type { ReleaseInput } from './release-session.js';
import type { TakeInput } from './turn.js';
import type { Released, TakenMessages } from './turn-results.js';
import type { WakeOptions } from './wake-session.js';

/** The operations for workers, and those that call for one. */
export interface WorkOperations<
  E extends SharedErrors,
  out T extends SessionSchemas,
  R extends SharedResults<T>,
> {
  /**
   * Makes a session wait for a worker, now or from a time on: `claim` then returns it. If it
   * already waits for one, the earlier time counts. An ended session fails with
   * `invalid_transition`.
   *
   * @example
   * ```ts
   * await sessions.orThrow.wake(id);
   * const inAnHour = new Date(Date.now() + 3_600_000);
   * await sessions.orThrow.wake(id, { at: inAnHour }); // the earlier time counts
   * ```
   */
  wake(id: string, options?: WakeOptions): ResultAsync<void, E['wake']>;

  /**
   * Leases the tenant's sessions that wait for a worker, the longest waiting first, at most
   * `limit`. No two callers get the same session at the same time. A session no longer waits for a
   * worker once it is released with `done`, unless it was woken after the claim. If it is released
   * without `done`, or if the lease expires because the worker has crashed, it waits again, until
   * the maximum of `attempts` is reached. Any lease holds off claims until it ends.
   *
   * @example
   * ```ts
   * await sessions.orThrow.wake(id);
   * const { claimed } = await sessions.orThrow.claim({ holder: 'worker-1', seconds: 30 });
   * for (const { session, lease } of claimed) {
   *   await sessions.orThrow.append(session.id, [{ role: 'assistant', content: 'Still there?' }]);
   *   await sessions.orThrow.release(session.id, { fencingToken: lease.fencingToken, done: true });
   * }
   * ```
   */
  claim(input: ClaimInput): ResultAsync<R['claim'], E['claim']>;

  /**
   * For workers without `createWorker`, in any language: stores what a turn has said so far, then
   * takes the messages that were sent since its claim, in one step.
   *
   * @example
   * ```ts
   * await sessions.orThrow.send(id, 'And a tunnel.');
   * const { claimed } = await sessions.orThrow.claim({ holder: 'worker-1', seconds: 30 });
   * const { fencingToken = 0 } = claimed[0]?.lease ?? {};
   * await sessions.orThrow.send(id, 'Two tunnels!');
   * const after = 'Let me see.';
   * const { messages } = await sessions.orThrow.take(id, { fencingToken, after, limit: 10 });
   * console.log(messages[0]?.content); // Two tunnels!
   * await sessions.orThrow.release(id, { fencingToken, done: true, entries: 'Two, then.' });
   * ```
   */
  take(id: string, input: TakeInput): ResultAsync<TakenMessages, E['take']>;

  /**
   * Moves the end of a lease to `seconds` from now. Never takes a lease: if `fencingToken` is not
   * that of the current lease, it fails with `lease_lost`, and after the end of the session with
   * `invalid_transition`.
   *
   * @example
   * ```ts
   * const { fencingToken } = await sessions.orThrow.lease(id, { holder: 'worker-1', seconds: 30 });
   * const renewed = await sessions.renew(id, { fencingToken, seconds: 30 });
   * if (renewed.isErr()) console.error('Stop: another worker may have the session.');
   * ```
   */
  renew(id: string, input: RenewInput): ResultAsync<SessionLease, E['renew']>;

  /**
   * Ends a lease. Also succeeds if the lease was already over and no other lease followed. After a
   * claim that is released without `done`, the session waits for a worker again after a delay,
   * which doubles with each attempt from about a second to five minutes.
   *
   * @example
   * ```ts
   * const { fencingToken } = await sessions.orThrow.lease(id, { holder: 'worker-1', seconds: 30 });
   * await sessions.orThrow.release(id, { fencingToken });
   * const other = await sessions.lease(id, { holder: 'worker-2', seconds: 30 });
   * console.log(other.isOk()); // true
   * ```
   */
  release(id: string, input: ReleaseInput): ResultAsync<Released, E['release']>;

  /**
   * Cancels the work on a session: ends its lease, if there is one, and drops wakes and retries.
   * Waiting messages are answered next. Cancels whichever turn is running, so cancel before you
   * send the next message. Calls with the token of that lease fail with `cancelled`, and the
   * `signal` of its holder is aborted: immediately in `createWorker` and `reply` if the store has
   * events, otherwise at the next renewal. The session itself goes on. Succeeds without a change if
   * there is nothing to cancel.
   *
   * @example
   * ```ts
   * await sessions.orThrow.wake(id);
   * await sessions.orThrow.cancel(id, { reason: 'the caller has hung up' });
   * const { count } = await sessions.orThrow.countWaiting();
   * console.log(count); // 0
   * ```
   */
  cancel(id: string, options?: CancelOptions): ResultAsync<void, E['cancel']>;

  /**
   * Counts the tenant's sessions that a worker could claim now, up to 10000: those that wait,
   * without those that a worker has. A host can scale its workers by it.
   *
   * @example
   * ```ts
   * await sessions.orThrow.wake(id);
   * const { count } = await sessions.orThrow.countWaiting();
   * console.log(count); // 1
   * ```
   */
  countWaiting(): ResultAsync<WaitingCount, E['countWaiting']>;

  /**
   * Leases a session that has not ended, so that two workers do not answer in one conversation. If
   * another holder has the session, it fails with `leased`. Pass the `fencingToken` to `append` and
   * to commands: they fail with `lease_lost` once the lease is over, even if this process was
   * suspended in between. Calls without one are not checked. Each lease has a higher token than
   * earlier leases. If the same holder already has the session, for example a worker that was
   * restarted under its name, the new lease replaces the earlier lease. A lease ends at its time
   * without a write, and with `await using` at the end of the block.
   *
   * @example
   * ```ts
   * await using lease = await sessions.orThrow.lease(id, { holder: 'worker-1', seconds: 30 });
   * const { fencingToken } = lease;
   * const answer = [{ role: 'assistant', content: 'Which one was the longest?' }];
   * await sessions.orThrow.append(id, answer, { fencingToken });
   * const other = await sessions.lease(id, { holder: 'worker-2', seconds: 30 });
   * console.log(other.isErr() && other.error.type); // leased
   * ```
   */
  lease(id: string, input: LeaseInput): ResultAsync<TakenLease, E['lease']>;
}
