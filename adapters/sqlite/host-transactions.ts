import type { SqliteDatabase } from './sqlite-session-store-options.js';

/** Whether the host has closed a connection; false for a driver that does not report it. */
export const isClosed = ({ open, isOpen }: SqliteDatabase): boolean =>
  open === false || isOpen === false;

export const isInTransaction = (database: SqliteDatabase): boolean => {
  const known = database.inTransaction ?? database.isTransaction;
  if (typeof known === 'boolean') return known;
  try {
    database.exec('BEGIN');
  } catch (cause) {
    if (/within a transaction/.test(String(cause))) return true;
    throw cause;
  }
  database.exec('ROLLBACK');
  return false;
};

/** The connections on which the host may begin its own transactions. */
export class HostTransactions {
  readonly #connections = new Set<WeakRef<SqliteDatabase>>();

  add(database: SqliteDatabase): void {
    this.#connections.add(new WeakRef(database));
  }

  get areOpen(): boolean {
    return [...this.#connections].some((connection) => this.#isOpen(connection));
  }

  #isOpen(connection: WeakRef<SqliteDatabase>): boolean {
    const database = connection.deref();
    try {
      if (database !== undefined && !isClosed(database)) return isInTransaction(database);
    } catch {
      // The connection is closed, and its driver does not report it.
    }
    this.#connections.delete(connection);
    return false;
  }
}
