import { err, ok, type Result } from 'neverthrow';
import { misconfigured, storeUnavailable } from '../../src/session/errors.js';
import type { StoredDeployment } from '../stored/deployment.js';
import { Connection, type Work } from './connection.js';
import { failed, type Refusal } from './failure.js';
import { isInTransaction } from './host-transactions.js';
import type { OwnConnection } from './own-connection.js';
import type { SqliteDatabase } from './sqlite-session-store-options.js';

const notBegun = misconfigured('within: the connection is not in a transaction: begin one first');

/** A connection on which the host has begun a transaction, which only the host ends. */
export class TransactionConnection extends Connection {
  readonly #own: OwnConnection;

  constructor(database: SqliteDatabase, own: OwnConnection) {
    super(database);
    this.#own = own;
  }

  override deployment(): Result<StoredDeployment, Refusal> {
    return this.#own.deployment();
  }

  override read<T, E>(work: Work<T, E>): Result<T, E | Refusal> {
    try {
      if (!isInTransaction(this.database)) return err(notBegun);
      return this.deployment().andThen(work);
    } catch (cause) {
      return err(failed(cause, 'not_applied'));
    }
  }

  override async write<T, E>(_tenant: string, work: Work<T, E>): Promise<Result<T, E | Refusal>> {
    return this.read((deployment): Result<T, E | Refusal> => {
      this.exec('SAVEPOINT colloquy');
      try {
        const result = work(deployment);
        if (result.isErr()) return this.#undone(result.error);
        this.exec('RELEASE colloquy');
        return ok(result.value);
      } catch (cause) {
        return this.#undone(failed(cause, 'not_applied'));
      }
    });
  }

  #undone<E>(error: E): Result<never, E | Refusal> {
    try {
      this.exec('ROLLBACK TO colloquy; RELEASE colloquy');
      return err(error);
    } catch (cause) {
      const isOver = !isInTransaction(this.database);
      const state = isOver
        ? 'SQLite has rolled back the transaction'
        : 'the transaction can only be rolled back';
      return err(storeUnavailable(state, 'not_applied', isOver ? error : cause));
    }
  }
}
