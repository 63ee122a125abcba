import { createHash } from 'node:crypto';
import { type Fields, isFields } from '../../src/session/fields.js';
import { withPrefix } from '../sql/query.js';
import type { PostgresConnection } from './clients.js';

/**
 * SQLSTATEs of a statement that cannot run by its name: the connection to the server is another
 * one than at its preparation, which does not know the name (26000) or has it already (42P05), or
 * its result has changed with the tables (0A000). The server says so before anything has run.
 */
const UNUSABLE: readonly unknown[] = ['26000', '42P05', '0A000'];

const isUnusable = (cause: unknown): boolean => isFields(cause) && UNUSABLE.includes(cause['code']);

export type Value = string | number | boolean | null;

/**
 * A query or the call of a procedure, with a `?` for each of its values, and a `$` before the name
 * of each table.
 */
export interface Statement {
  readonly sql: string;
  readonly values: readonly Value[];
  /** The columns that each row of the answer must have. */
  readonly columns?: readonly string[];
  /** Whether the answer always has a row. */
  readonly hasRow?: boolean;
  /** Called when the statement is sent. */
  readonly onSent?: () => void;
  /** Whether its best plan depends on the values, so that a plan for all values may be slow. */
  readonly isPlannedAnew?: boolean;
}

/** A statement as the server gets it. */
interface SentStatement {
  /**
   * Derived from the whole text, so that no other text has this name, not even in another version.
   */
  readonly name: string;
  readonly text: string;
}

/** The statement with its bound as a further value, the first: see `bound.sql`. */
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
 * Runs statements by name: the server parses each text once per connection. Behind a pooler that
 * changes the connection to the server without carrying names over, such as PgBouncer in
 * transaction mode with `max_prepared_statements = 0`, it runs them without names from then on.
 */
export class PreparedStatements {
  readonly #prefix: string;
  /** By the statements of the store. */
  readonly #sent = new Map<string, SentStatement>();
  #isGivenUp = false;

  constructor(prefix: string) {
    this.#prefix = prefix;
  }

  /**
   * `boundMs`: the server undoes the statement after so many milliseconds; empty for no bound, and
   * undefined if it is too late to send it.
   */
  async run(
    connection: PostgresConnection,
    statement: Statement,
    boundMs: () => number | '' | undefined,
  ): Promise<readonly Fields[] | undefined> {
    const { name, text } = this.#sentAs(statement.sql);
    const values = [() => boundMs()?.toString(), ...statement.values];
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
