import { createHash } from 'node:crypto';
import { type Fields, isFields } from '../../src/session/fields.js';
import { withPrefix } from '../sql/query.js';
import type { PostgresConnection } from './clients.js';

/**
 * SQLSTATEs of a statement that cannot run by its name: the connection to the server has changed
 * since its preparation and does not know the name (26000) or knows it already (42P05), or the
 * result has changed with the tables (0A000). The server reports them before anything has run.
 */
const UNUSABLE: readonly unknown[] = ['26000', '42P05', '0A000'];

const isUnusable = (cause: unknown): boolean => isFields(cause) && UNUSABLE.includes(cause['code']);

export type Value = string | number | boolean | null;

/**
 * An array as PostgreSQL writes it
 * (https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO), because clients differ in how
 * they write one.
 */
export const arrayOf = (texts: readonly string[]): string =>
  `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;

/** A query or the call of a procedure, in the form of a `Query`. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly Value[];
  /** The columns that each row of the answer must have. */
  readonly columns?: readonly string[];
  /** Whether the answer always has a row. */
  readonly hasRow?: boolean;
  /** Called when the statement is sent. */
  readonly onSent?: () => void;
  /** The best plan depends on the values, so a plan for all values may be slow. */
  readonly isPlannedAnew?: boolean;
}

interface SentStatement {
  /** Derived from the text, so that no other text has this name, even in another version. */
  readonly name: string;
  readonly text: string;
}

/** The bound is the first value: see `bound.sql`. */
const bounded = (sql: string): string => {
  if (sql.startsWith('CALL ')) return sql.replace('(', '(?, ');
  const [, recursive = '', rest] = /^\s*WITH (RECURSIVE )?(.*)$/s.exec(sql) ?? [];
  const bound = `WITH ${recursive}bound AS (SELECT ?::$bound)`;
  return rest === undefined ? `${bound} ${sql}` : `${bound}, ${rest}`;
};

const sentAs = (sql: string, prefix: string): SentStatement => {
  let values = 0;
  const numbered = withPrefix(bounded(sql), prefix).replaceAll('?', () => {
    values += 1;
    return `$${values}`;
  });
  const hash = createHash('sha256').update(numbered).digest('hex');
  return { name: `colloquy_${hash.slice(0, 24)}`, text: numbered };
};

/**
 * Runs statements by name, so that the server parses each of them once per connection. Some poolers
 * change the connection to the server without carrying names over, for example PgBouncer in
 * transaction mode with `max_prepared_statements = 0`. Then statements run without names from the
 * first failure on.
 */
export class PreparedStatements {
  readonly #prefix: string;
  readonly #sent = new Map<string, SentStatement>();
  #isGivenUp = false;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /**
   * `boundMs`: milliseconds after which the server undoes the statement; empty for no bound,
   * undefined if it is too late to send it.
   */
  async run(
    connection: PostgresConnection,
    statement: Statement,
    boundMs: () => string | undefined,
  ): Promise<readonly Fields[] | undefined> {
    const { name, text } = this.#sentAs(statement.sql);
    const values = [boundMs, ...statement.values];
    const runText = () => connection.query({ text, values });
    if (this.#isGivenUp || statement.isPlannedAnew === true) return runText();
    try {
      return await connection.query({ name, text, values });
    } catch (cause) {
      if (!isUnusable(cause)) throw cause;
      this.#isGivenUp = true;
      return runText();
    }
  }

  #sentAs(sql: string): SentStatement {
    const known = this.#sent.get(sql);
    if (known !== undefined) return known;
    const sent = sentAs(sql, this.#prefix);
    this.#sent.set(sql, sent);
    return sent;
  }
}
