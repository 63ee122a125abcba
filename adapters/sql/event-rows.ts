import { eventOf } from '../../src/session/event-detail.js';
import { isAfter } from '../../src/session/event-position.js';
import type { Fields } from '../../src/session/fields.js';
import type { EventPage, SessionEvent } from '../../src/session/session-event.js';
import type { EventScope } from '../../src/store/session-store.js';
import { escapeName, unescapeName } from '../stored/escape-name.js';
import { decodeDetail } from '../stored/json.js';
import { NOTHING, type Query } from './query.js';

/*
 * The times and the numbers of the log increase from row to row. The latest row is never trimmed.
 */

const BEGINNING = '0-0';

export const positionIn = (row: Fields | undefined): string =>
  String(row?.['position'] ?? BEGINNING);

export const POSITION = "ms || '-' || number";

/** A number that a database cannot compare exactly becomes the highest number. */
export const parseLogPosition = (
  position: string,
): { readonly ms: number; readonly number: number } => {
  const [, ms = '0', number = '0'] = /^(\d+)(?:-(\d+))?$/.exec(position) ?? [];
  return { ms: Number(ms), number: Math.min(Number(number), Number.MAX_SAFE_INTEGER) };
};

const eventAt = (row: Fields): SessionEvent | undefined => {
  const detail = decodeDetail(row['detail']);
  const key = { tenant: unescapeName(String(row['tenant'])), id: unescapeName(String(row['id'])) };
  const change = { incarnation: String(row['incarnation']), sequence: Number(row['sequence']) };
  return detail && eventOf(key, change, detail, positionIn(row));
};

/** The beginning of a condition, in a form for which the index of a tenant or session applies. */
const scopeOf = (of: EventScope | undefined): Query => {
  if (of === undefined) return NOTHING;
  const tenant = escapeName(of.tenant);
  if (of.sessionId === undefined) return { sql: 'tenant = ? AND ', values: [tenant] };
  return { sql: 'tenant = ? AND id = ? AND ', values: [tenant, escapeName(of.sessionId)] };
};

export const eventsAfter = (position: string, of: EventScope | undefined, limit: number): Query => {
  const { ms, number } = parseLogPosition(position);
  const scope = scopeOf(of);
  return {
    sql: `
      SELECT ${POSITION} AS position, number, tenant, id, incarnation, sequence, detail
      FROM $events
      WHERE ${scope.sql}(ms, number) > (?, ?)
      ORDER BY ms, number
      LIMIT ?`,
    values: [...scope.values, ms, number, limit],
  };
};

/**
 * Whether rows after a position may have been trimmed. Before the first row, nobody knows: a time
 * may be after the last trimmed row, and the number of that row may be one that a restored log has
 * used again.
 */
const isTrimmedBehind = (position: string, first: string): boolean =>
  parseLogPosition(first).number > 1 && isAfter(first, position);

/**
 * Whether the log was restored from an older copy, which never contained the row of a position. The
 * log reuses the numbers after the copy, but with other times.
 */
const isRewoundBehind = (position: string, { first, isThere }: EventRows): boolean => {
  const { number } = parseLogPosition(position);
  const belongsToRow = number > 0 && number < Number.MAX_SAFE_INTEGER;
  return belongsToRow && !isThere && number >= parseLogPosition(first).number;
};

/** The rows of one consistent read of the log. */
export interface EventRows {
  /** After a position, in a scope. */
  readonly rows: readonly Fields[];
  readonly limit: number;
  /** The ends of the log, of all scopes. */
  readonly first: string;
  readonly last: string;
  /** Whether the log has the row of the position. */
  readonly isThere: boolean;
}

/** After all events of a scope, the reader continues at the end of the log. */
export const eventPageOf = (page: EventRows, position: string): EventPage => {
  const { rows, limit, first, last } = page;
  const isRewound = isRewoundBehind(position, page);
  let end = last;
  if (rows.length === limit) end = positionIn(rows.at(-1));
  if (!isRewound && !isAfter(end, position)) end = position;
  return {
    events: rows.flatMap((row) => eventAt(row) ?? []),
    position: end,
    isTrimmed: isRewound || isTrimmedBehind(position, first),
  };
};
