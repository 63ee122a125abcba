import { ok } from 'neverthrow';
import type { Fields } from '../../src/session/fields.js';
import type { StoredDeployment } from '../stored/deployment.js';
import { type Answer, Call, type CallSource } from './call.js';
import { connectionOf, type PostgresConnection } from './clients.js';
import type { Connection } from './connection.js';
import type { Failure } from './failure.js';
import type { HostConnection, PostgresSettings } from './postgres-session-store-options.js';
import type { Statement } from './prepared-statements.js';

/** A connection on which the host has begun a transaction, which only the host ends. */
export class TransactionConnection implements CallSource {
  readonly isWithin = true;
  readonly statements: CallSource['statements'];
  readonly underWay: CallSource['underWay'];
  readonly settings: PostgresSettings;
  /** The store takes this class in place of its options: so the two must have a name in common. */
  readonly timeoutMs: number;
  readonly #client: HostConnection;
  readonly own: Connection;

  /** `own`: the connections of the store. */
  constructor(client: HostConnection, own: Connection) {
    this.#client = client;
    this.own = own;
    this.statements = own.statements;
    this.underWay = own.underWay;
    this.settings = own.settings;
    this.timeoutMs = own.settings.timeoutMs;
  }

  begin(): Call {
    return new Call(this, this.timeoutMs);
  }

  async connect(): Answer<PostgresConnection, Failure> {
    return ok(connectionOf(this.#client));
  }

  /** Settings that a transaction has read may be undone with it. */
  async deployment(
    read: (statement: Statement) => Answer<readonly Fields[]>,
  ): Answer<StoredDeployment> {
    return this.own.known ?? this.own.read(read);
  }
}
