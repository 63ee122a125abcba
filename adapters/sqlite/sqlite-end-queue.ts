import { ok, type Result } from 'neverthrow';
import type { Fields } from '../../src/input/parse-fields.js';
import type { StoreError } from '../../src/session/errors.js';
import type { DueEnd, DueEnds, EndKey, EndQueue } from '../../src/store/end-queue.js';
import { escapeName } from '../shared/escape-name.js';
import { finite } from '../shared/never.js';
import { dueEnds } from '../sql/due-query.js';
import { unreportedEndOf } from '../sql/unreported-end-of.js';
import { type Connection, PREFIX } from './connection.js';
import { dueRows } from './read-due.js';

const FIND = `
  SELECT tenant, id, incarnation, due_at
  FROM colloquy_ends
  WHERE tenant = ? AND id = ? AND incarnation = ?`;
const ADD = `
  INSERT INTO colloquy_ends (tenant, id, incarnation, due_at)
  VALUES (?, ?, ?, ?)`;
const FIND_SESSION = `
  SELECT tenant, id, incarnation, state AS session_state, last_activity AS session_activity
  FROM colloquy_sessions
  WHERE tenant = ? AND id = ? AND incarnation = ?`;
const KEEP = `
  UPDATE colloquy_ends
  SET removed_ms = ?, (last_activity, state) = (
    SELECT last_activity, state
    FROM colloquy_sessions
    WHERE number = ?
  )
  WHERE tenant = ? AND id = ? AND incarnation = ?`;
const POSTPONE = `
  UPDATE colloquy_ends
  SET due_at = ?
  WHERE tenant = ? AND id = ? AND incarnation = ?`;
const REMOVE = 'DELETE FROM colloquy_ends WHERE tenant = ? AND id = ? AND incarnation = ?';
const RELEASE = `
  UPDATE colloquy_sessions
  SET due_at = deadline
  WHERE tenant = ? AND id = ? AND incarnation = ?`;

/** The stored key of an end. */
interface StoredKey {
  readonly tenant: string;
  readonly id: string;
  readonly incarnation: string;
}

const keyOf = ({ tenant, id, endId }: EndKey): StoredKey => ({
  tenant: escapeName(tenant),
  id: escapeName(id),
  incarnation: endId,
});

/** The ends of a SQLite store that must be reported. */
export class SqliteEndQueue implements EndQueue {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  due(now: number, limit: number): Result<DueEnds, StoreError> {
    return this.#connection.read((): Result<DueEnds, never> => {
      const { rows, hasMore } = dueRows(this.#connection, dueEnds(PREFIX), now, limit);
      return ok({ ends: rows.map((row) => unreportedEndOf(this.#withSession(row))), failed: [], hasMore });
    });
  }

  postpone(end: DueEnd, to: number): Promise<Result<'moved' | 'stale', StoreError>> {
    return this.#connection.write((): Result<'moved' | 'stale', never> => {
      const { tenant, id, incarnation } = keyOf(end);
      if (this.#dueAt({ tenant, id, incarnation }) !== end.dueAt || to === end.dueAt) return ok('stale');
      this.#connection.run(POSTPONE, finite(to), tenant, id, incarnation);
      return ok('moved');
    });
  }

  settle(end: DueEnd): Promise<Result<'settled' | 'stale', StoreError>> {
    return this.#connection.write((): Result<'settled' | 'stale', never> => {
      const { tenant, id, incarnation } = keyOf(end);
      if (this.#dueAt({ tenant, id, incarnation }) !== end.dueAt) return ok('stale');
      this.#connection.run(REMOVE, tenant, id, incarnation);
      this.#connection.run(RELEASE, tenant, id, incarnation);
      return ok('settled');
    });
  }

  /** Whether the end of a session waits. Call this and the next two methods within a transaction. */
  has({ tenant, id, incarnation }: Fields): boolean {
    return this.#dueAt({ tenant: String(tenant), id: String(id), incarnation: String(incarnation) }) !== undefined;
  }

  /** Adds the end of the session in a row. */
  add({ tenant, id, incarnation }: Fields, dueAt: number): void {
    this.#connection.run(ADD, String(tenant), String(id), String(incarnation), dueAt);
  }

  /** Keeps the data for the report of the session in a row, before it is removed, if its end waits. */
  keep({ tenant, id, incarnation, number }: Fields, removedMs: number): void {
    this.#connection.run(KEEP, removedMs, Number(number), String(tenant), String(id), String(incarnation));
  }

  #dueAt({ tenant, id, incarnation }: StoredKey): number | undefined {
    const row = this.#connection.find(FIND, { tenant, id, incarnation });
    return row && Number(row['due_at']);
  }

  #withSession(row: Fields): Fields {
    if (row['removed_ms'] !== null) return row;
    const key = { tenant: String(row['tenant']), id: String(row['id']), incarnation: String(row['incarnation']) };
    return { ...row, ...this.#connection.find(FIND_SESSION, key) };
  }
}
