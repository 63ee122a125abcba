import { createHash } from 'node:crypto';
import { hasMethods, isFields } from '../../src/input/parse-fields.js';
import type { PostgresClient } from './postgres-session-store-options.js';

/**
 * SQLSTATEs of a statement that cannot run by its name: the connection to the server is another
 * one than at its preparation, which does not know the name (26000) or has it already (42P05), or
 * its result has changed with the tables (0A000). The server says so before anything has run.
 */
const UNUSABLE: readonly unknown[] = ['26000', '42P05', '0A000'];

const isUnusable = (cause: unknown): boolean => isFields(cause) && UNUSABLE.includes(cause['code']);

/** A client of the package pg: it prepares a statement by its name, once per connection. */
interface PreparingClient {
  query(statement: {
    readonly name: string;
    readonly text: string;
    readonly values: unknown[];
  }): PromiseLike<unknown>;
}

const canPrepare = (client: PostgresClient | PreparingClient): client is PreparingClient =>
  hasMethods(client, 'escapeIdentifier');

/**
 * Derived from the whole text, so that no other text has this name, not even in another version.
 */
const nameOf = (text: string): string => {
  const hash = createHash('sha256').update(text).digest('hex');
  return `colloquy_${hash.slice(0, 24)}`;
};

export interface SentStatement {
  readonly text: string;
  readonly values: readonly unknown[];
  /** Whether its best plan depends on the values, so that a plan for all values may be slow. */
  readonly isPlannedAnew?: boolean;
}

const runText = (client: PostgresClient, { text, values }: SentStatement) =>
  client.query(text, values.length === 0 ? undefined : [...values]);

/**
 * Runs statements by name: the server parses each text once per connection. Behind a pooler that
 * changes the connection to the server without carrying names over, such as PgBouncer in
 * transaction mode with `max_prepared_statements = 0`, it runs them without names from then on.
 */
export class PreparedStatements {
  readonly #names = new Map<string, string>();
  #isGivenUp = false;

  async run(client: PostgresClient, statement: SentStatement): Promise<unknown> {
    const hasName = !this.#isGivenUp && statement.isPlannedAnew !== true;
    if (!hasName || !canPrepare(client)) return runText(client, statement);
    const { text, values } = statement;
    try {
      return await client.query({ name: this.#nameOf(text), text, values: [...values] });
    } catch (cause) {
      if (!isUnusable(cause)) throw cause;
      this.#isGivenUp = true;
      return runText(client, statement);
    }
  }

  #nameOf(text: string): string {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const name = nameOf(text);
    this.#names.set(text, name);
    return name;
  }
}
