import type { Result, ResultAsync } from 'neverthrow';
import type { InputPolicy } from '../input/input-policy.js';
import type { Clock } from '../session/clock.js';
import type { StoreUnavailable } from '../session/errors.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { TenantChange, WatchAllOptions } from '../session/session-event.js';
import type { SessionSchemas } from '../session/session-schemas.js';
import type { ClaimInput } from './claim-sessions.js';
import type { Claims, Sweep, WaitingCount } from './operation-results.js';
import type { ReplyOptions } from './reply.js';
import type { NewMessage } from './send-message.js';
import type { SweepOptions } from './sweep-sessions.js';
import type { RunOf } from './turn.js';
import type { Reply } from './turn-results.js';

/** What a service has and a client has not. `S` is the service. */
export interface ServiceOperations<out T extends SessionSchemas, S> {
  /**
   * The clock that the service was given, or that of the machine.
   *
   * @example
   * ```ts
   * const { endsAt } = await sessions.orThrow.get(id);
   * const secondsLeft = endsAt ? (Date.parse(endsAt) - sessions.clock.now()) / 1000 : Infinity;
   * ```
   */
  readonly clock: Clock;

  /**
   * The limits, faces and profiles that this service allows, and its schemas.
   *
   * @example
   * ```ts
   * console.log(sessions.policy.limits.contentBytes); // 262144
   * ```
   */
  readonly policy: InputPolicy;

  /**
   * The same service for another tenant. A tenant has 1 to 256 characters of any kind; with any
   * other value every operation returns `invalid_input`.
   *
   * @example
   * ```ts
   * const found = await sessions.forTenant('globex').get(id); // a session of the tenant acme
   * console.log(found.isErr() && found.error.type); // not_found
   * ```
   */
  forTenant(tenant: string): S;

  /**
   * The same service within a transaction that the caller has begun, in the database of the store:
   * what it writes is stored, and seen by others, when the caller commits, and not at all after a
   * rollback. Its reads see what it has written. `client` is the connection of the transaction. For
   * PostgreSQL: a client of pg, the `sql` of a transaction or a reserved one of postgres.js, or the
   * `tx` of PGlite. For SQLite: another connection than that of the store, in a transaction begun
   * with BEGIN IMMEDIATE.
   *
   * Nothing is repeated: after `store_unavailable`, PostgreSQL can only roll back, to a savepoint at
   * least. Operations that wait or lease (`watch`, `answer`, `reply`, `claim`, `sweep` and others)
   * return `misconfigured`. Throws a `TypeError` for a client of another kind, and in stores that
   * have no transactions (Redis, memory).
   *
   * @example
   * ```ts no-run
   * import { Pool } from 'pg';
   *
   * const client = await new Pool().connect();
   * await client.query('BEGIN');
   * await client.query('INSERT INTO orders (id) VALUES ($1)', ['o-7']);
   * const told = await sessions.within(client).send(id, 'Order o-7 has arrived.');
   * await client.query(told.isOk() ? 'COMMIT' : 'ROLLBACK');
   * client.release();
   * ```
   *
   * @example
   * ```ts no-run
   * import Database from 'libsql';
   *
   * const orders = new Database('sessions.db'); // not the connection of the store
   * orders.exec('BEGIN IMMEDIATE');
   * orders.prepare('INSERT INTO orders (id) VALUES (?)').run('o-7');
   * const told = await sessions.within(orders).send(id, 'Order o-7 has arrived.');
   * orders.exec(told.isOk() ? 'COMMIT' : 'ROLLBACK');
   * ```
   */
  within(client: object): S;

  /**
   * Sends a message, then runs the turn that answers it in this process, or waits while another
   * process answers. Repeated with the same message it returns the stored answer without a run;
   * after a crash it goes on. Several messages that wait are answered by one turn. What `run`
   * returns is stored in the same step as the end of the turn.
   *
   * @example
   * ```ts
   * const { content } = await sessions.orThrow.reply(
   *   'chat-7',
   *   { id: 'm-1', content: 'What do you build?' },
   *   ({ history, signal }) => askModel(history, signal),
   *   { create: true },
   * );
   * console.log(content); // You said: What do you build?
   * ```
   */
  reply(
    id: string,
    message: string | NewMessage,
    run: RunOf<T, S>,
    options?: ReplyOptions,
  ): ResultAsync<Reply, OperationErrors['reply']>;

  /**
   * Watches all of the tenant's sessions, from this call or from a cursor: yields each logged
   * change once, in order for each session, or `events_lost` where events are missing. A page of
   * `list` has a cursor that leaves no gap. An expiry comes with the next sweep. An error is the
   * last item. `await using` ends it. Never throws.
   *
   * @example
   * ```ts
   * for await (const item of sessions.watchAll({ cursor: '0' })) {
   *   if (item.isErr()) break;
   *   console.log(item.value.type); // session.created
   *   break;
   * }
   * ```
   */
  watchAll(
    options?: WatchAllOptions,
  ): AsyncIterable<Result<TenantChange<T>, OperationErrors['watchAll']>> & AsyncDisposable;

  /**
   * Like `claim`, for the sessions of all tenants, each tenant in its turn: `forTenant(tenant)`
   * provides the operations for a claimed session. For workers of the host, never for the request
   * of one tenant.
   *
   * @example
   * ```ts
   * const { claimed } = await sessions.orThrow.claimAny({ holder: 'worker-1', seconds: 30 });
   * for (const { tenant, session, lease } of claimed) {
   *   const theirs = sessions.forTenant(tenant);
   *   await theirs.release(session.id, { fencingToken: lease.fencingToken, done: true });
   * }
   * ```
   */
  claimAny(input: ClaimInput): ResultAsync<Claims<T>, OperationErrors['claimAny']>;

  /**
   * Like `countWaiting`, for the sessions of all tenants. For the host's own use, never for the
   * request of one tenant.
   *
   * @example
   * ```ts
   * const { count, limit } = await sessions.orThrow.countWaitingAny();
   * console.log(count < limit ? `${count} wait` : `${limit} or more wait`); // 0 wait
   * ```
   */
  countWaitingAny(): ResultAsync<WaitingCount, OperationErrors['countWaitingAny']>;

  /**
   * Sweeps the sessions of all tenants, at most `limit`, from 1; above 10000 it counts as 10000:
   * stores the end of sessions that have expired, reports ended sessions to `onEnded`, and deletes
   * sessions after their retention. One sweep covers a part of a large store; pass its
   * `nextCursor` as `cursor` to continue. `createSweeper` calls it repeatedly.
   *
   * @example
   * ```ts
   * const { ended, deleted } = await sessions.orThrow.sweep();
   * console.log(ended.length, deleted.length); // 0 0
   * ```
   */
  sweep(limit?: number, options?: SweepOptions): ResultAsync<Sweep, OperationErrors['sweep']>;

  /**
   * Settles when no operation of this service is under way, of any tenant, and its store no longer
   * needs its client or database: close that then. Stop servers, workers, sweepers and watches
   * first, because `drain` stops nothing: it waits as long as they call operations, and does not
   * wait for an operation that begins afterwards. It waits for operations of other services on the
   * same store only while the store works on them. Fails with `store_unavailable` if the store
   * rejects.
   *
   * @example
   * ```ts
   * const later = sessions.append(id, [{ role: 'user', content: 'Bye!' }]);
   * await sessions.drain(); // then close the client or database
   * console.log((await later).isOk()); // true
   * ```
   */
  drain(): ResultAsync<void, StoreUnavailable>;
}
