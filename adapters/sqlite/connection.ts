import { err, ok, type Result } from 'neverthrow';
import { type Fields, isFields } from '../../src/input/parse-fields.js';
import {
  type Misconfigured,
  misconfigured,
  type StoreUnavailable,
  storeUnavailable,
} from '../../src/session/errors.js';
import { Lane } from '../shared/lane.js';
import type { Query } from '../sql/page-query.js';
import {
  type AskedDeployment,
  deploymentIn,
  refusalOfSettings,
  type SqlDeployment,
  wantedOf,
} from '../sql/sql-deployment.js';
import type { SqliteDatabase, SqliteStatement, SqliteValue } from './sqlite-session-store-options.js';

/** The prefix of the names of all tables. */
export const PREFIX = 'colloquy_';

/** Primary result code of "another connection has locked the database" (https://www.sqlite.org/rescode.html#busy). */
const SQLITE_BUSY = 5;

const textOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

/** Drivers put the result code into different properties. The low byte of an extended code is the primary code. */
const isBusy = (cause: unknown): boolean => {
  if (!isFields(cause)) return false;
  const { code, errcode, errno } = cause;
  const isCode = (value: unknown) => typeof value === 'number' && value % 256 === SQLITE_BUSY;
  return (typeof code === 'string' && code.startsWith('SQLITE_BUSY')) || isCode(errcode) || isCode(errno);
};

/** A driver has returned a row that the query cannot match. */
class ForeignRow extends Error {}

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
  return /no such column|has no column named/.test(text) ? 'a column of the store is missing' : undefined;
};

/** Why a call failed. */
type Refusal = StoreUnavailable | Misconfigured;

const failed = (cause: unknown, outcome: StoreUnavailable['outcome']): Refusal => {
  if (cause instanceof ForeignRow) return storeUnavailable(cause.message, outcome, cause);
  if (isBusy(cause)) return storeUnavailable('another connection has locked the database', outcome, cause);
  const missing = missingPart(cause);
  if (missing !== undefined) return misconfigured(`${missing}: call migrate() first`, cause);
  return storeUnavailable('SQLite refused the call', outcome, cause);
};

/** Limits of a group of writes: at 64 calls, more gains hardly anything, and a group blocks the event loop for longer. */
const GROUP = { groups: 1, calls: 64, bytes: 1 << 20 } as const;

/** A write that waits for its transaction. It keeps its own result. */
interface Write {
  /** Runs within a transaction. Returns whether it succeeded. */
  readonly run: (deployment: SqlDeployment) => boolean;
  readonly fail: (refusal: Refusal) => void;
}

/** A write of a group has failed, so that the transaction of the group is undone. */
const spoilt = { type: 'spoilt' } as const;

/** Statements and transactions on the host's connection. */
export class Connection {
  readonly #database: SqliteDatabase;
  readonly #asked: AskedDeployment;
  /** Set by the first transaction. */
  #deployment: SqlDeployment | undefined;
  /** Compiled statements by their text; the store has a fixed number of texts. */
  readonly #statements = new Map<string, SqliteStatement>();
  readonly #lane = new Lane<Write, undefined>({ ...GROUP, make: (writes) => this.#commitAll(writes) });
  /** Whether a transaction of the store may still be open, because neither COMMIT nor ROLLBACK succeeded. */
  #isLeftOpen = false;

  constructor(database: SqliteDatabase, asked: AskedDeployment) {
    this.#database = database;
    this.#asked = asked;
  }

  /** Whether the host has closed the connection; false for a driver that does not report it. */
  get isClosed(): boolean {
    const { open, isOpen } = this.#database;
    return open === false || isOpen === false;
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  run(sql: string, ...values: readonly SqliteValue[]): void {
    this.#prepare(sql).run(...values);
  }

  /**
   * The first row. Does not use the driver's `get`: after an exception in it, libsql 0.5.29 answers the next call with
   * the previously bound values, which may be another tenant's. Its `all` and `run` always bind the new values.
   */
  get(sql: string, ...values: readonly SqliteValue[]): Fields | undefined {
    return this.all(sql, ...values)[0];
  }

  all(sql: string, ...values: readonly SqliteValue[]): readonly Fields[] {
    const rows = this.#prepare(sql).all(...values);
    return Array.isArray(rows) ? rows.filter(isFields) : [];
  }

  /** The first row with this key, whose values are bound before the others. */
  find(sql: string, key: RowKey, ...values: readonly SqliteValue[]): Fields | undefined {
    return this.query({ sql, values: [...Object.values(key), ...values] }, hasKey(key))[0];
  }

  /** The rows. Checks that each one matches the query, so that a faulty driver cannot reveal another tenant's rows. */
  query({ sql, values }: Query, isAskedFor: (row: Fields) => boolean = () => true): readonly Fields[] {
    const rows = this.all(sql, ...values);
    if (rows.every(isAskedFor)) return rows;
    throw new ForeignRow('the SQLite driver answered with a row that was not asked for');
  }

  /** Requests a write-ahead log, which is a permanent setting of the file. Returns the current mode. */
  useWal(): Result<string, Refusal> {
    try {
      return ok(String(this.get('PRAGMA journal_mode = WAL')?.['journal_mode']));
    } catch (cause) {
      return err(failed(cause, 'not_applied'));
    }
  }

  /** Runs `work` in a read transaction, so that its reads are consistent. */
  read<T, E>(work: (deployment: SqlDeployment) => Result<T, E>): Result<T, E | Refusal> {
    return this.#transaction('BEGIN', 'not_applied', () => this.#settings().andThen(work));
  }

  /**
   * Runs `work`, which writes about `bytes` bytes, in a transaction that locks out other writers. Writes that arrive
   * together share it. An error or an exception of `work` undoes its own writes, and not those of others: it may run
   * again, so it must do nothing but read and write the database.
   */
  async write<T, E>(
    work: (deployment: SqlDeployment) => Result<T, E>,
    bytes = 0,
  ): Promise<Result<T, E | Refusal>> {
    let result: Result<T, E | Refusal> = err(storeUnavailable('the call was not made', 'not_applied'));
    await this.#lane.run(
      {
        run: (deployment) => {
          result = work(deployment);
          return result.isOk();
        },
        fail: (refusal) => {
          result = err(refusal);
        },
      },
      bytes,
    );
    return result;
  }

  /** One transaction for all, or if one of them fails, one for each. */
  #commitAll(writes: readonly Write[]): undefined[] {
    const [first] = writes;
    if (first !== undefined && writes.length === 1) this.#commitOne(first);
    if (writes.length > 1) {
      const committed = this.#transaction('BEGIN IMMEDIATE', 'unknown', () =>
        this.#settings().andThen((deployment) => {
          return writes.every((write) => this.#succeeds(write, deployment)) ? ok() : err(spoilt);
        }),
      );
      if (committed.isErr()) this.#afterFailure(writes, committed.error);
    }
    return writes.map(() => undefined);
  }

  #afterFailure(writes: readonly Write[], failure: Refusal | typeof spoilt): void {
    for (const write of writes) {
      if (failure.type === 'spoilt') this.#commitOne(write);
      else write.fail(failure);
    }
  }

  #commitOne(write: Write): void {
    const committed = this.#transaction('BEGIN IMMEDIATE', 'unknown', () =>
      this.#settings().andThen((deployment) => (write.run(deployment) ? ok() : err(spoilt))),
    );
    if (committed.isErr() && committed.error.type !== 'spoilt') write.fail(committed.error);
  }

  /** An exception is no success: it is told when the write runs alone. */
  #succeeds(write: Write, deployment: SqlDeployment): boolean {
    try {
      return write.run(deployment);
    } catch {
      return false;
    }
  }

  /**
   * Runs `work`, which makes tables, in a transaction that locks out other writers. `work` gets the options of this
   * process, and a function that reads the stored settings.
   */
  migrate<E>(
    work: (asked: AskedDeployment, stored: () => SqlDeployment) => Result<void, E>,
  ): Result<void, E | Refusal> {
    this.#deployment = undefined;
    const migrated = this.#transaction('BEGIN IMMEDIATE', 'unknown', () =>
      work(this.#asked, () => this.#stored()).andThen(() => this.#settings().map(() => undefined)),
    );
    if (migrated.isErr()) this.#deployment = undefined;
    return migrated;
  }

  #stored(): SqlDeployment {
    return deploymentIn(this.all('SELECT name, value FROM colloquy_meta'));
  }

  /**
   * The settings of the deployment, or an error if the options of this process differ from them. They are read once.
   */
  #settings(): Result<SqlDeployment, Misconfigured> {
    if (this.#deployment !== undefined) return ok(this.#deployment);
    const stored = this.#stored();
    const refusal = refusalOfSettings('SqliteSessionStore', this.#asked, stored);
    if (refusal !== undefined) return err(refusal);
    this.#deployment = wantedOf(this.#asked, stored);
    return ok(this.#deployment);
  }

  /** `doubt` is the outcome if the transaction may have been committed. */
  #transaction<T, E>(
    begin: string,
    doubt: StoreUnavailable['outcome'],
    work: () => Result<T, E>,
  ): Result<T, E | Refusal> {
    try {
      if (this.#isLeftOpen) this.#rollBack();
      this.exec(begin);
    } catch (cause) {
      return err(failed(cause, 'not_applied'));
    }
    try {
      const result = work();
      if (result.isErr()) {
        this.#rollBack();
        return result;
      }
      return this.#commit(doubt).map(() => result.value);
    } catch (cause) {
      return err(failed(cause, this.#rollBack() ? 'not_applied' : doubt));
    }
  }

  #commit(doubt: StoreUnavailable['outcome']): Result<void, Refusal> {
    try {
      this.exec('COMMIT');
      return ok();
    } catch (cause) {
      // A busy COMMIT has written nothing and leaves the transaction open. After any other error, the log may contain
      // the transaction.
      const isUndone = this.#rollBack() && isBusy(cause);
      return err(failed(cause, isUndone ? 'not_applied' : doubt));
    }
  }

  /**
   * Returns whether no transaction is open any more. Some errors, such as a full disk, end the transaction by
   * themselves.
   */
  #rollBack(): boolean {
    try {
      this.exec('ROLLBACK');
      this.#isLeftOpen = false;
    } catch (cause) {
      this.#isLeftOpen = !/no transaction is active/.test(textOf(cause));
    }
    return !this.#isLeftOpen;
  }

  #prepare(sql: string): SqliteStatement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}
