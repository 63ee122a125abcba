import { err, ok, type Result } from 'neverthrow';
import { type Misconfigured, misconfigured, type StoreUnavailable, storeUnavailable } from '../../src/errors.js';
import { type Fields, isFields } from '../../src/input/values.js';
import type { Query } from '../sql/page-query.js';
import type { SqliteDatabase, SqliteStatement, SqliteValue } from './sqlite-session-store-options.js';

/** What the names of all tables begin with. */
export const PREFIX = 'colloquy_';

/** Primary result code of "another connection has locked the database" (https://www.sqlite.org/rescode.html#busy). */
const SQLITE_BUSY = 5;

const textOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

/** The drivers put the result code into different properties; an extended code has the primary one in its low byte. */
const isBusy = (cause: unknown): boolean => {
  if (!isFields(cause)) return false;
  const { code, errcode, errno } = cause;
  const isCode = (value: unknown) => typeof value === 'number' && value % 256 === SQLITE_BUSY;
  return (typeof code === 'string' && code.startsWith('SQLITE_BUSY')) || isCode(errcode) || isCode(errno);
};

/** What is missing where the tables were not made, or by an earlier version: statements have no other names. */
const missingPart = (cause: unknown): string | undefined => {
  const text = textOf(cause);
  if (/no such table: colloquy_/.test(text)) return 'the tables of the store are missing';
  return /no such column|has no column named/.test(text) ? 'a column of the store is missing' : undefined;
};

/** Why a call failed. */
type Refusal = StoreUnavailable | Misconfigured;

const failed = (cause: unknown, outcome: StoreUnavailable['outcome']): Refusal => {
  if (isBusy(cause)) return storeUnavailable('another connection has locked the database', outcome, cause);
  const missing = missingPart(cause);
  if (missing !== undefined) return misconfigured(`${missing}: call migrate() first`, cause);
  return storeUnavailable('SQLite refused the call', outcome, cause);
};

/** Statements and transactions on the host's connection. */
export class Connection {
  readonly #database: SqliteDatabase;
  /** Compiled statements by their text; the store has a fixed number of texts. */
  readonly #statements = new Map<string, SqliteStatement>();
  /** Whether a transaction of the store may still be open, because neither COMMIT nor ROLLBACK succeeded. */
  #isLeftOpen = false;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  /** Whether the host has closed the connection, as far as the driver says so. */
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

  get(sql: string, ...values: readonly SqliteValue[]): Fields | undefined {
    const row = this.#prepare(sql).get(...values);
    return isFields(row) ? row : undefined;
  }

  all(sql: string, ...values: readonly SqliteValue[]): readonly Fields[] {
    const rows = this.#prepare(sql).all(...values);
    return Array.isArray(rows) ? rows.filter(isFields) : [];
  }

  query({ sql, values }: Query): readonly Fields[] {
    return this.all(sql, ...values);
  }

  /** Runs `work` in a transaction that sees one moment of the database. */
  read<T, E>(work: () => Result<T, E>): Result<T, E | Refusal> {
    return this.#transaction('BEGIN', 'not_applied', work);
  }

  /** Runs `work` in a transaction that no other connection writes beside. An error of `work` undoes what it wrote. */
  write<T, E>(work: () => Result<T, E>): Result<T, E | Refusal> {
    return this.#transaction('BEGIN IMMEDIATE', 'unknown', work);
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
      // A busy COMMIT has written nothing and leaves the transaction open. After any other error the log may have it.
      const isUndone = this.#rollBack() && isBusy(cause);
      return err(failed(cause, isUndone ? 'not_applied' : doubt));
    }
  }

  /** Whether no transaction is open any more. Some errors end it by themselves, such as that of a full disk. */
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
