import { err, ok } from 'neverthrow';
import type { Fields } from '../../src/input/parse-fields.js';
import type { StoreError } from '../../src/session/errors.js';
import type { DueEnd, DueEnds, EndQueue } from '../../src/store/end-queue.js';
import { finite } from '../shared/never.js';
import { dueEnds } from '../sql/due-query.js';
import { unreportedEndOf } from '../sql/unreported-end-of.js';
import { type Answer, type Call, procedureCall } from './call.js';
import type { Connection } from './connection.js';
import { dueRows } from './read-due.js';
import { namesOf } from './session-writer.js';

const nameOf = ({ tenant, id, incarnation }: Fields): string => `${tenant} ${id} ${incarnation}`;

/** The ends of a PostgreSQL store that must be reported. */
export class PostgresEndQueue implements EndQueue {
  readonly #connection: Connection;
  readonly #prefix: string;

  constructor(connection: Connection, prefix: string) {
    this.#connection = connection;
    this.#prefix = prefix;
  }

  async due(now: number, limit: number): Answer<DueEnds, StoreError> {
    const call = this.#connection.begin();
    const due = await dueRows(call, dueEnds(this.#prefix), now, limit);
    if (due.isErr()) return err(due.error);
    const { rows, hasMore } = due.value;
    const read = await this.#endsOf(call, rows);
    if (read.isErr()) return err(read.error);
    const ends = rows.flatMap((row) => {
      const found = read.value.get(nameOf(row));
      // Without it, another sweep has settled the end meanwhile.
      return found === undefined ? [] : [unreportedEndOf({ ...row, ...found })];
    });
    return ok({ ends, failed: [], hasMore });
  }

  async postpone({ dueAt, ...end }: DueEnd, to: number): Answer<'moved' | 'stale', StoreError> {
    if (to === dueAt) return ok('stale');
    const values = [...namesOf(end), end.endId, dueAt, finite(to)];
    const rows = await this.#connection.begin().write(procedureCall(this.#prefix, 'postpone_end', values), values);
    return rows.map(([row]) => (row?.['result'] === 'moved' ? 'moved' : 'stale'));
  }

  async settle(end: DueEnd): Answer<'settled' | 'stale', StoreError> {
    const values = [...namesOf(end), end.endId, end.dueAt];
    const rows = await this.#connection.begin().write(procedureCall(this.#prefix, 'settle_end', values), values);
    return rows.map(([row]) => (row?.['result'] === 'settled' ? 'settled' : 'stale'));
  }

  /**
   * The data of some ends, by their names. One statement reads an end and its session: between two, a removal could move
   * the state from the session to the end, and neither would have it.
   */
  async #endsOf(call: Call, rows: readonly Fields[]): Answer<ReadonlyMap<string, Fields>, StoreError> {
    if (rows.length === 0) return ok(new Map());
    const sql = `SELECT tenant, id, incarnation, ending.removed_ms, ending.last_activity, ending.state,
        session.state AS session_state, session.last_activity AS session_activity
      FROM unnest($1::text[], $2::text[], $3::text[]) AS due (tenant, id, incarnation)
      JOIN ${this.#prefix}ends AS ending USING (tenant, id, incarnation)
      LEFT JOIN ${this.#prefix}sessions AS session USING (tenant, id, incarnation)`;
    const column = (name: string) => rows.map((row) => String(row[name]));
    const found = await call.read(sql, [column('tenant'), column('id'), column('incarnation')]);
    return found.map((ends) => new Map(ends.map((end) => [nameOf(end), end])));
  }
}
