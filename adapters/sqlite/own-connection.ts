import { err, ok, type Result } from 'neverthrow';
import {
  type Misconfigured,
  type StoreUnavailable,
  storeUnavailable,
} from '../../src/session/errors.js';
import type { Fields } from '../../src/session/fields.js';
import { PendingCalls } from '../../src/store/pending-calls.js';
import { Lane } from '../lanes/lane.js';
import { deploymentFor } from '../sql/sql-deployment.js';
import type { AskedDeployment, StoredDeployment } from '../stored/deployment.js';
import { Connection, type Work } from './connection.js';
import { failed, isBusy, type Refusal, textOf } from './failure.js';
import { HostTransactions } from './host-transactions.js';
import type { SqliteSettings } from './sqlite-session-store-options.js';

/**
 * How long a transaction waits for the lock of another connection if the host has set no
 * `busy_timeout`.
 */
const BUSY_TIMEOUT_MS = 5000;

/** Limits of a group of writes. A longer one gains hardly anything, and blocks the event loop. */
const GROUP = { groups: 1, calls: 64, bytes: 1 << 20 } as const;

/** Keeps its result, and returns whether it succeeded. */
type Write = (deployment: StoredDeployment) => boolean;

/** Milliseconds between two attempts of a group while the host's own transaction is open. */
const ATTEMPT_MS = 5;

/** The result of a transaction that a write has failed in. */
const undone = { type: 'undone' } as const;

/** The store's own connection: writes that arrive together share a transaction. */
export class OwnConnection extends Connection {
  readonly asked: AskedDeployment;
  /** Set by the first transaction. */
  #deployment: StoredDeployment | undefined;
  readonly underWay = new PendingCalls();
  readonly hostTransactions = new HostTransactions();
  readonly #lane: Lane<Write, Refusal | undefined>;
  /**
   * Whether a transaction of the store may still be open, because neither COMMIT nor ROLLBACK
   * succeeded.
   */
  #isLeftOpen = false;
  /** The `busy_timeout` of the host, and whether it applies. */
  #busyMs = BUSY_TIMEOUT_MS;
  #isBlocking: boolean | undefined;

  constructor(settings: SqliteSettings) {
    super(settings.database);
    this.asked = settings;
    this.#lane = new Lane({ ...GROUP, make: (writes) => this.#commitSoon(writes) });
  }

  override deployment(): Result<StoredDeployment, Refusal> {
    if (this.#deployment !== undefined) return ok(this.#deployment);
    return this.read((deployment): Result<StoredDeployment, Refusal> => ok(deployment));
  }

  override read<T, E>(work: Work<T, E>): Result<T, E | Refusal> {
    return this.#transaction('BEGIN', 'not_applied', () => this.#settings().andThen(work));
  }

  /** `work` may run again, after the transaction that it shared was undone. */
  override async write<T, E>(
    tenant: string,
    work: Work<T, E>,
    bytes = 0,
  ): Promise<Result<T, E | Refusal>> {
    let result: Result<T, E | Refusal> = err(
      storeUnavailable('SQLite was not asked', 'not_applied'),
    );
    const write: Write = (deployment) => {
      result = work(deployment);
      return result.isOk();
    };
    const refusal = await this.underWay.track(this.#lane.run(write, { tenant, bytes }));
    if (refusal !== undefined) return err(refusal);
    return result;
  }

  /**
   * While writes wait for the host's own transaction, the process must go on: otherwise the
   * transaction could not end.
   */
  async #commitSoon(writes: readonly Write[]): Promise<readonly (Refusal | undefined)[]> {
    for (let waited = 0; ; waited += ATTEMPT_MS) {
      const refusals = this.#commit(writes);
      const isHeldUp = refusals.every((refusal) => isBusy(refusal?.cause));
      const canWait = this.hostTransactions.areOpen && waited < this.#busyMs;
      if (!isHeldUp || !canWait) return refusals;
      await new Promise((resolve) => setTimeout(resolve, ATTEMPT_MS));
    }
  }

  /**
   * Commits writes together. A write that fails is committed alone, between the writes before and
   * after it. Returns why each write was refused, if it was.
   */
  #commit(writes: readonly Write[]): readonly (Refusal | undefined)[] {
    if (writes.length === 0) return [];
    const { refusal, failed: at } = this.#commitTogether(writes);
    if (at === undefined || writes.length === 1) return writes.map(() => refusal);
    const parts = [writes.slice(0, at), writes.slice(at, at + 1), writes.slice(at + 1)];
    return parts.flatMap((part) => this.#commit(part));
  }

  /** `failed` is the write that the transaction was undone for, if other writes may succeed. */
  #commitTogether(writes: readonly Write[]): {
    readonly refusal?: Refusal;
    readonly failed?: number | undefined;
  } {
    let running: number | undefined;
    const committed = this.#transaction('BEGIN IMMEDIATE', 'unknown', () =>
      this.#settings().andThen((deployment) => {
        for (const [at, write] of writes.entries()) {
          running = at;
          if (!write(deployment)) return err(undone);
        }
        running = undefined;
        return ok();
      }),
    );
    if (committed.isOk()) return {};
    const { error } = committed;
    if (error.type === 'undone') return { failed: running };
    const isCommon = isBusy(error.cause) || this.#isLeftOpen;
    return { refusal: error, failed: isCommon ? undefined : running };
  }

  /**
   * Runs `work`, which makes tables, in a transaction that locks out other writers. `work` gets the
   * options of this process.
   */
  migrate<T, E>(work: (asked: AskedDeployment) => Result<T, E>): Result<T, E | Refusal> {
    this.#deployment = undefined;
    const migrated = this.#transaction('BEGIN IMMEDIATE', 'unknown', () =>
      work(this.asked).andThen((made) => this.#settings().map(() => made)),
    );
    if (migrated.isErr()) this.#deployment = undefined;
    return migrated;
  }

  meta(): readonly Fields[] {
    return this.all('SELECT name, value FROM $meta');
  }

  /** Fails if the options of this process differ from the settings of the deployment. */
  #settings(): Result<StoredDeployment, Misconfigured> {
    if (this.#deployment !== undefined) return ok(this.#deployment);
    const read = deploymentFor('SqliteSessionStore', this.asked, this.meta());
    this.#deployment = read.unwrapOr(undefined);
    return read;
  }

  /**
   * Sets `busy_timeout` before the first transaction, if the host has set none by then, and to 0 as
   * long as the host's own transaction is open; see `#commitSoon`.
   */
  #setBusyTimeout(): void {
    const isBlocking = !this.hostTransactions.areOpen;
    if (isBlocking === this.#isBlocking) return;
    const { timeout } = this.get('PRAGMA busy_timeout') ?? {};
    if (this.#isBlocking !== false) this.#busyMs = Number(timeout) || BUSY_TIMEOUT_MS;
    this.database.exec(`PRAGMA busy_timeout = ${isBlocking ? this.#busyMs : 0}`);
    this.#isBlocking = isBlocking;
  }

  /** `doubt` is the outcome if the transaction may have been committed. */
  #transaction<T, E>(
    begin: string,
    doubt: StoreUnavailable['outcome'],
    work: () => Result<T, E>,
  ): Result<T, E | Refusal> {
    try {
      this.#setBusyTimeout();
      if (this.#isLeftOpen) this.#rollBack();
      this.database.exec(begin);
    } catch (cause) {
      return err(failed(cause, 'not_applied'));
    }
    try {
      const result = work();
      if (result.isOk()) return this.#endWithCommit(doubt).map(() => result.value);
      if (this.#rollBack()) return result;
      return err(storeUnavailable('SQLite did not undo the transaction', doubt));
    } catch (cause) {
      return err(failed(cause, this.#rollBack() ? 'not_applied' : doubt));
    }
  }

  #endWithCommit(doubt: StoreUnavailable['outcome']): Result<void, Refusal> {
    try {
      this.database.exec('COMMIT');
      return ok();
    } catch (cause) {
      // A busy COMMIT has written nothing and leaves the transaction open. After any other error,
      // the log may contain the transaction.
      const isUndone = this.#rollBack() && isBusy(cause);
      return err(failed(cause, isUndone ? 'not_applied' : doubt));
    }
  }

  /** False if the transaction is still open. Some errors, for example a full disk, also end it. */
  #rollBack(): boolean {
    try {
      this.database.exec('ROLLBACK');
      this.#isLeftOpen = false;
    } catch (cause) {
      this.#isLeftOpen = !/no transaction is active/.test(textOf(cause));
    }
    return !this.#isLeftOpen;
  }
}
