import { err, ok, type Result } from 'neverthrow';
import {
  type Misconfigured,
  misconfigured,
  type StoreUnavailable,
  storeUnavailable,
} from '../../src/session/errors.js';
import { type Fields, isFields } from '../../src/session/fields.js';
import { isError } from '../../src/session/native-kinds.js';
import { UnderWay } from '../../src/store/under-way.js';
import { Lane } from '../lanes/lane.js';
import { type Query, rowsIn, withPrefix } from '../sql/query.js';
import { deploymentFor } from '../sql/sql-deployment.js';
import type { AskedDeployment, StoredDeployment } from '../stored/deployment.js';
import { HostTransactions, isClosed } from './host-transactions.js';
import type {
  SqliteDatabase,
  SqliteSettings,
  SqliteStatement,
  SqliteValue,
} from './sqlite-session-store-options.js';

/** The prefix of the names of all tables. */
const PREFIX = 'colloquy_';

/**
 * Primary result code of "another connection has locked the database"
 * (https://www.sqlite.org/rescode.html#busy).
 */
const SQLITE_BUSY = 5;

/**
 * Primary result codes of "no permission" (SQLITE_PERM), "attempt to write a readonly database"
 * (SQLITE_READONLY) and "not authorized" (SQLITE_AUTH).
 */
const NO_RIGHT = { SQLITE_PERM: 3, SQLITE_READONLY: 8, SQLITE_AUTH: 23 };

/**
 * How long a transaction waits for the lock of another connection if the host has set no
 * `busy_timeout`.
 */
const BUSY_TIMEOUT_MS = 5000;

const textOf = (cause: unknown): string => (isError(cause) ? cause.message : String(cause));

/**
 * Drivers put the result code into different properties. The low byte of an extended code is the
 * primary code.
 */
const hasCode = (cause: unknown, name: string, primary: number): boolean => {
  if (!isFields(cause)) return false;
  const { code, errcode, errno, rawCode } = cause;
  const isCode = (value: unknown) => typeof value === 'number' && value % 256 === primary;
  const isName = typeof code === 'string' && code.startsWith(name);
  return isName || [errcode, errno, rawCode].some(isCode);
};

const isBusy = (cause: unknown): boolean => hasCode(cause, 'SQLITE_BUSY', SQLITE_BUSY);

const lacksRight = (cause: unknown): boolean =>
  Object.entries(NO_RIGHT).some(([name, primary]) => hasCode(cause, name, primary));

/** A driver has returned something that cannot be the answer to a query. */
class ForeignAnswer extends Error {}

/** The key of a row: values by columns. */
type RowKey = Readonly<Record<string, SqliteValue>>;

/** Whether a row has these values. Drivers may be configured to return numbers as bigint. */
export const hasKey =
  (key: RowKey) =>
  (row: Fields): boolean => {
    for (const column in key) {
      const value = row[column];
      if (value !== key[column] && Number(value) !== key[column]) return false;
    }
    return true;
  };

/** The missing part if the tables were not made, or were made by an earlier version. */
const missingPart = (cause: unknown): string | undefined => {
  const text = textOf(cause);
  if (/no such table: colloquy_/.test(text)) return 'the tables of the store are missing';
  if (/no such column|has no column named/.test(text)) return 'a column of the store is missing';
  return undefined;
};

/** Why a call failed. */
export type Refusal = StoreUnavailable | Misconfigured;

export const failed = (cause: unknown, outcome: StoreUnavailable['outcome']): Refusal => {
  if (cause instanceof ForeignAnswer) return storeUnavailable(cause.message, outcome, cause);
  if (isBusy(cause))
    return storeUnavailable('another connection has locked the database', outcome, cause);
  const missing = missingPart(cause);
  if (missing !== undefined) return misconfigured(`${missing}: call migrate() first`, cause);
  if (lacksRight(cause)) return misconfigured('SQLite may not write to the database', cause);
  return storeUnavailable('SQLite refused the call', outcome, cause);
};

/** Limits of a group of writes. A longer one gains hardly anything, and blocks the event loop. */
const GROUP = { groups: 1, calls: 64, bytes: 1 << 20 } as const;

/** Writes within a transaction, and keeps its result. Returns whether it succeeded. */
type Write = (deployment: StoredDeployment) => boolean;

/** Milliseconds between two attempts of a group while the host's own transaction is open. */
const ATTEMPT_MS = 5;

/** A write has an error as its result, so that the transaction is undone. */
const undone = { type: 'undone' } as const;

/** Statements and transactions on the host's connection. */
export class Connection {
  readonly database: SqliteDatabase;
  readonly asked: AskedDeployment;
  /** Set by the first transaction. */
  #deployment: StoredDeployment | undefined;
  /** Compiled statements by their text without prefix; the store has a fixed number of texts. */
  readonly #statements = new Map<string, SqliteStatement>();
  readonly underWay = new UnderWay();
  /** The host's own transactions in this process. */
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
    this.database = settings.database;
    this.asked = settings;
    this.#lane = new Lane({ ...GROUP, make: (writes) => this.#commitSoon(writes) });
  }

  /** Whether the host has closed the connection; false for a driver that does not report it. */
  get isClosed(): boolean {
    return isClosed(this.database);
  }

  /** Runs statements that make tables. */
  exec(sql: string): void {
    this.database.exec(withPrefix(sql, PREFIX));
  }

  run(sql: string, ...values: readonly SqliteValue[]): void {
    this.#prepare(sql).run(...values);
  }

  /**
   * The first row. Does not use the driver's `get`: after an exception in it, libsql 0.5.29 answers
   * the next call with the previously bound values, which may be another tenant's. Its `all` and
   * `run` always bind the new values.
   */
  get(sql: string, ...values: readonly SqliteValue[]): Fields | undefined {
    return this.all(sql, ...values)[0];
  }

  all(sql: string, ...values: readonly SqliteValue[]): readonly Fields[] {
    const rows = rowsIn(this.#prepare(sql).all(...values));
    if (rows !== undefined) return rows;
    throw new ForeignAnswer('the SQLite driver answered without rows');
  }

  /** The first row with this key, whose values are bound before the others. */
  find(sql: string, key: RowKey, ...values: readonly SqliteValue[]): Fields | undefined {
    return this.query({ sql, values: [...Object.values(key), ...values] }, hasKey(key))[0];
  }

  /**
   * The rows. Checks that each one matches the query, so that a faulty driver cannot reveal another
   * tenant's rows.
   */
  query(
    { sql, values }: Query,
    isAskedFor: (row: Fields) => boolean = () => true,
  ): readonly Fields[] {
    const rows = this.all(sql, ...values);
    if (rows.every(isAskedFor)) return rows;
    throw new ForeignAnswer('the SQLite driver answered with a row that was not asked for');
  }

  /**
   * Requests a write-ahead log, which is a permanent setting of the file. Returns the current mode.
   */
  useWal(): Result<string, Refusal> {
    try {
      return ok(String(this.get('PRAGMA journal_mode = WAL')?.['journal_mode']));
    } catch (cause) {
      return err(failed(cause, 'not_applied'));
    }
  }

  /** The settings of the deployment. */
  deployment(): Result<StoredDeployment, Refusal> {
    if (this.#deployment !== undefined) return ok(this.#deployment);
    return this.read((deployment): Result<StoredDeployment, Refusal> => ok(deployment));
  }

  /** Runs `work` in a read transaction, so that its reads are consistent. */
  read<T, E>(work: (deployment: StoredDeployment) => Result<T, E>): Result<T, E | Refusal> {
    return this.#transaction('BEGIN', 'not_applied', () => this.#settings().andThen(work));
  }

  /**
   * Runs `work` of a tenant, which writes about `bytes` bytes, in a transaction that locks out
   * other writers. Writes that arrive together share it. An error or an exception of `work` undoes
   * its own writes, and no others. `work` may run again, so it must only read and write the
   * database.
   */
  async write<T, E>(
    tenant: string,
    work: (deployment: StoredDeployment) => Result<T, E>,
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
   * Commits writes. While they wait for the host's own transaction, the process goes on, because
   * otherwise the transaction could not end.
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
   * Commits writes together. One that fails is committed alone, between those before and those
   * after it. Returns why each write was refused, if it was.
   */
  #commit(writes: readonly Write[]): readonly (Refusal | undefined)[] {
    if (writes.length === 0) return [];
    const { refusal, failed: at } = this.#commitAtOnce(writes);
    if (at === undefined || writes.length === 1) return writes.map(() => refusal);
    const parts = [writes.slice(0, at), writes.slice(at, at + 1), writes.slice(at + 1)];
    return parts.flatMap((part) => this.#commit(part));
  }

  /** `failed` is the write because of which the transaction was undone, if others may succeed. */
  #commitAtOnce(writes: readonly Write[]): {
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

  /** The rows of the table meta. */
  meta(): readonly Fields[] {
    return this.all('SELECT name, value FROM $meta');
  }

  /**
   * The settings of the deployment, or an error if the options of this process differ from them.
   * They are read once.
   */
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

  /**
   * Returns whether no transaction is open any more. Some errors, such as a full disk, end the
   * transaction by themselves.
   */
  #rollBack(): boolean {
    try {
      this.database.exec('ROLLBACK');
      this.#isLeftOpen = false;
    } catch (cause) {
      this.#isLeftOpen = !/no transaction is active/.test(textOf(cause));
    }
    return !this.#isLeftOpen;
  }

  #prepare(sql: string): SqliteStatement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.database.prepare(withPrefix(sql, PREFIX));
    this.#statements.set(sql, statement);
    return statement;
  }
}
