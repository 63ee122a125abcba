import type { Fields } from '../../src/session/fields.js';
import type { SessionHead, StateRecord } from '../../src/session/session-record.js';
import { endsAt } from '../../src/session/time-limits.js';
import type { QueueTimes } from '../../src/store/queue-times.js';
import type { DueKey } from '../../src/store/session-store.js';
import { storedKeyOf } from '../sql/queue-query.js';
import { escapeName } from '../stored/escape-name.js';
import { finite, NEVER } from '../stored/infinite-times.js';
import { bytesOf, encodeHead, encodeState } from '../stored/json.js';
import type { LabelChange } from '../stored/labels.js';
import type { Connection } from './connection.js';
import type { SqliteValue } from './sqlite-session-store-options.js';

const FIND = `
  SELECT tenant, id, number, incarnation, status, deadline, due_at, wake_at, revision, asked_at,
    inbox, last_activity, sequence, redactions, entries, position, bytes, state
  FROM $sessions
  WHERE tenant = ? AND id = ?`;
const ADDED = 'SELECT last_insert_rowid() AS number';
const ADD_HEAD = 'INSERT INTO $heads (session, head) VALUES (?, ?)';
const ADD_LABEL = `
  INSERT INTO $labels (tenant, name, value, created_ms, id, session)
  SELECT tenant, ?, ?, created_ms, id, number
  FROM $sessions
  WHERE number = ?`;
const REMOVE_LABEL = 'DELETE FROM $labels WHERE session = ? AND name = ? AND value = ?';

type Columns = Readonly<Record<string, SqliteValue>>;

/** Contains all that a change needs. */
export const findRow = (connection: Connection, key: DueKey): Fields | undefined =>
  connection.find(FIND, storedKeyOf(key));

/** The columns that repeat parts of a state, and its times in the queues. */
export const columnsOf = (state: StateRecord, { dueAt, wakeAt }: QueueTimes): Columns => ({
  status: state.status,
  deadline: finite(endsAt(state)),
  due_at: finite(dueAt),
  wake_at: finite(wakeAt),
  asked_at: finite(state.work.askedAt ?? NEVER),
  inbox: state.work.inbox ?? 0,
  revision: state.revision,
  last_activity: state.lastActivityAt,
});

export const textOf = (state: StateRecord): Columns => ({
  state: encodeState(state, state.labels),
});

/** What is left of a removed session has no head. Returns the number of the row. */
export const addRow = (
  connection: Connection,
  key: DueKey,
  head: SessionHead | undefined,
  columns: Columns,
): number => {
  const text = head === undefined ? '' : encodeHead(head);
  const row = {
    ...storedKeyOf(key),
    created_ms: head === undefined ? 0 : Date.parse(head.createdAt),
    head_bytes: bytesOf(text),
    ...columns,
  };
  const places = Object.keys(row).map(() => '?');
  connection.run(
    `INSERT INTO $sessions (${Object.keys(row).join(', ')}) VALUES (${places.join(', ')})`,
    ...Object.values(row),
  );
  const number = Number(connection.get(ADDED)?.['number']);
  connection.run(ADD_HEAD, number, text);
  return number;
};

/** Names only columns that differ, because SQLite writes the indexes of all named columns. */
export const updateRow = (connection: Connection, row: Fields, columns: Columns): void => {
  const changed = Object.entries(columns).filter(([name, value]) => `${row[name]}` !== `${value}`);
  if (changed.length === 0) return;
  connection.run(
    `UPDATE $sessions SET ${changed.map(([name]) => `${name} = ?`).join(', ')} WHERE number = ?`,
    ...changed.map(([, value]) => value),
    Number(row['number']),
  );
};

export const removeRow = (connection: Connection, row: Fields): void =>
  connection.run('DELETE FROM $sessions WHERE number = ?', Number(row['number']));

export const moveLabels = (
  connection: Connection,
  session: number,
  { added, lost }: LabelChange,
): void => {
  for (const [name, value] of lost)
    connection.run(REMOVE_LABEL, session, escapeName(name), escapeName(value));
  for (const [name, value] of added)
    connection.run(ADD_LABEL, escapeName(name), escapeName(value), session);
};
