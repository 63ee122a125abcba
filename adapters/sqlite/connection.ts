import type { Result } from 'neverthrow';
import type { Fields } from '../../src/session/fields.js';
import { type Query, rowsIn, withPrefix } from '../sql/query.js';
import type { StoredDeployment } from '../stored/deployment.js';
import { ForeignAnswer, type Refusal } from './failure.js';
import type {
  SqliteDatabase,
  SqliteStatement,
  SqliteValue,
} from './sqlite-session-store-options.js';

const PREFIX = 'colloquy_';

/** Values by columns. */
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

/** Work in a transaction, which an error undoes. It must only read and write the database. */
export type Work<T, E> = (deployment: StoredDeployment) => Result<T, E>;

export abstract class Connection {
  readonly database: SqliteDatabase;
  /** By their SQL without prefix. The store has a fixed number of them. */
  readonly #statements = new Map<string, SqliteStatement>();

  constructor(database: SqliteDatabase) {
    this.database = database;
  }

  abstract deployment(): Result<StoredDeployment, Refusal>;

  /** Runs `work` in one transaction, so that its reads are consistent. */
  abstract read<T, E>(work: Work<T, E>): Result<T, E | Refusal>;

  /**
   * Runs `work` of a tenant, which writes about `bytes` bytes. An error or an exception of `work`
   * undoes its own writes, and no others.
   */
  abstract write<T, E>(
    tenant: string,
    work: Work<T, E>,
    bytes?: number,
  ): Promise<Result<T, E | Refusal>>;

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

  /** Checks each row, so that a faulty driver cannot reveal another tenant's rows. */
  query(
    { sql, values }: Query,
    isAskedFor: (row: Fields) => boolean = () => true,
  ): readonly Fields[] {
    const rows = this.all(sql, ...values);
    if (rows.every(isAskedFor)) return rows;
    throw new ForeignAnswer('the SQLite driver answered with a row that was not asked for');
  }

  #prepare(sql: string): SqliteStatement {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.database.prepare(withPrefix(sql, PREFIX));
    this.#statements.set(sql, statement);
    return statement;
  }
}
