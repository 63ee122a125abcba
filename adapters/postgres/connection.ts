import { err, ok, type Result } from 'neverthrow';
import type { Fields } from '../../src/session/fields.js';
import { UnderWay } from '../../src/store/under-way.js';
import { deploymentFor } from '../sql/sql-deployment.js';
import type { StoredDeployment } from '../stored/deployment.js';
import { type Answer, Call, type CallSource } from './call.js';
import { type Clients, clientsOfPool, clientsOfSql, type PostgresConnection } from './clients.js';
import { type Failure, notConnected } from './failure.js';
import type { PostgresSettings } from './postgres-session-store-options.js';
import { PreparedStatements, type Statement } from './prepared-statements.js';

/** The prefix of the names of all tables. */
export const prefixOf = (schema: string): string => `"${schema}".`;

/** Reads the settings in a call. */
type Read = (statement: Statement) => Answer<readonly Fields[]>;

/** The host's pool. */
export class Connection implements CallSource {
  readonly clients: Clients;
  readonly isWithin = false;
  readonly settings: PostgresSettings;
  readonly statements: PreparedStatements;
  readonly underWay = new UnderWay();
  /** Set by the first call. */
  #deployment: Result<StoredDeployment, never> | undefined;
  /** The pending request, which concurrent calls share. */
  #reading: Answer<StoredDeployment> | undefined;

  constructor(settings: PostgresSettings) {
    const { host } = settings;
    this.clients = 'sql' in host ? clientsOfSql(host.sql) : clientsOfPool(host.pool);
    this.settings = settings;
    this.statements = new PreparedStatements(prefixOf(settings.schema));
  }

  /** Whether the host has ended the pool; false for a pool that does not report it. */
  get isClosed(): boolean {
    return this.clients.isClosed;
  }

  /** Begins a call of the store. */
  begin(): Call {
    return new Call(this, this.settings.timeoutMs);
  }

  /**
   * The settings of the deployment, or an error if the options of this process differ from them.
   * They are read once.
   */
  async deployment(read: Read): Answer<StoredDeployment> {
    if (this.#deployment !== undefined) return this.#deployment;
    this.#reading ??= this.read(read)
      .then((found) => {
        if (found.isOk()) this.#deployment = ok(found.value);
        return found;
      })
      .finally(() => {
        this.#reading = undefined;
      });
    return this.#reading;
  }

  /** The settings of the deployment, once they are known. */
  get known(): Result<StoredDeployment, never> | undefined {
    return this.#deployment;
  }

  async read(read: Read): Answer<StoredDeployment> {
    const rows = await read({
      sql: 'SELECT name, value FROM $meta',
      values: [],
      columns: ['name', 'value'],
    });
    if (rows.isErr()) return err(rows.error);
    return deploymentFor('PostgresSessionStore', this.settings, rows.value);
  }

  /** Reads the settings again with the next call. */
  forget(): void {
    this.#deployment = undefined;
  }

  /** Borrows a connection, which the caller must release. */
  async connect(): Answer<PostgresConnection, Failure> {
    try {
      return ok(await this.clients.connect());
    } catch (cause) {
      return err(notConnected(cause));
    }
  }
}
