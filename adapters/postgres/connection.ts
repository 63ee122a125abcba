import { err, ok, type Result } from 'neverthrow';
import type { Fields } from '../../src/session/fields.js';
import { PendingCalls } from '../../src/store/pending-calls.js';
import { deploymentFor } from '../sql/sql-deployment.js';
import type { StoredDeployment } from '../stored/deployment.js';
import type { Answer, CallSource } from './call.js';
import {
  type Clients,
  clientsOfPool,
  connectionOfClient,
  type PostgresConnection,
} from './clients.js';
import { type Failure, notConnected } from './failure.js';
import { clientsOfSql, connectionOfSql } from './postgres-js-clients.js';
import type { HostConnection, PostgresSettings } from './postgres-session-store-options.js';
import { PreparedStatements, type Statement } from './prepared-statements.js';

export const prefixOf = (schema: string): string => `"${schema}".`;

type Read = (statement: Statement) => Answer<readonly Fields[]>;

const META = { sql: 'SELECT name, value FROM $meta', values: [], columns: ['name', 'value'] };

/** The store never releases a connection of the host. */
export const connectionOf = (client: HostConnection): PostgresConnection =>
  'unsafe' in client ? connectionOfSql(client) : connectionOfClient(client);

export class Connection implements CallSource {
  readonly isWithin = false;
  readonly settings: PostgresSettings;
  readonly timeoutMs: number;
  readonly clients: Clients;
  readonly statements: PreparedStatements;
  readonly underWay = new PendingCalls();
  /** Set by the first call. */
  #deployment: Result<StoredDeployment, never> | undefined;
  /** The pending request, which concurrent calls share. */
  #reading: Answer<StoredDeployment> | undefined;

  constructor(settings: PostgresSettings) {
    const { host } = settings;
    this.clients = 'sql' in host ? clientsOfSql(host.sql) : clientsOfPool(host.pool);
    this.settings = settings;
    this.timeoutMs = settings.timeoutMs;
    this.statements = new PreparedStatements(prefixOf(settings.schema));
  }

  /** Whether the host has ended the pool; false for a pool that does not report it. */
  get isClosed(): boolean {
    return this.clients.isClosed;
  }

  async deployment(read: Read): Answer<StoredDeployment> {
    if (this.#deployment !== undefined) return this.#deployment;
    this.#reading ??= this.#read(read)
      .then((found) => {
        if (found.isOk()) this.#deployment = ok(found.value);
        return found;
      })
      .finally(() => {
        this.#reading = undefined;
      });
    return this.#reading;
  }

  forget(): void {
    this.#deployment = undefined;
  }

  async connect(): Answer<PostgresConnection, Failure> {
    try {
      return ok(await this.clients.connect());
    } catch (cause) {
      return err(notConnected(cause));
    }
  }

  /** The source of calls in a transaction that the host has begun on `client`. */
  within(client: HostConnection): CallSource {
    const { timeoutMs, statements, underWay } = this;
    return {
      isWithin: true,
      timeoutMs,
      statements,
      underWay,
      connect: async () => ok(connectionOf(client)),
      // Not kept, because a rollback may undo settings that a transaction has read.
      deployment: async (read) => this.#deployment ?? this.#read(read),
    };
  }

  async #read(read: Read): Answer<StoredDeployment> {
    const rows = await read(META);
    return rows.andThen((meta) => deploymentFor('PostgresSessionStore', this.settings, meta));
  }
}
