import { eventOf } from '../../src/session/event-detail.js';
import { isAfter } from '../../src/session/event-position.js';
import type { Fields } from '../../src/session/fields.js';
import type { EventPage, SessionEvent } from '../../src/session/session-event.js';
import type { EventScope } from '../../src/store/session-store.js';
import { escapeName, unescapeName } from '../stored/escape-name.js';
import { decodeDetail } from '../stored/json.js';
import { NOTHING, type Query } from './query.js';

/*
 * A row of the log has a time and a number, and both only increase from row to row. The latest row
 * is never trimmed.
 */

const BEGINNING = '0-0';

/** The position in a row of `POSITION`, or that of an empty log. */
export const positionIn = (row: Fields | undefined): string =>
  String(row?.['position'] ?? BEGINNING);

/** An expression for the position of a row of the log. */
export const POSITION = "ms || '-' || number";

/**
 * The time and the number in a position. A number that a database cannot compare exactly counts as
 * the highest one.
 */
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

/**
 * The part of a condition that selects the rows of a scope, so that the index of a session or of a
 * tenant applies.
 */
const scopeOf = (of: EventScope | undefined): Query => {
  if (of === undefined) return NOTHING;
  const tenant = escapeName(of.tenant);
  if (of.sessionId === undefined) return { sql: 'tenant = ? AND ', values: [tenant] };
  return { sql: 'tenant = ? AND id = ? AND ', values: [tenant, escapeName(of.sessionId)] };
};

/** The rows of a scope after a position. */
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
 * Whether rows after a position were trimmed. A time before the first row may be after the trimmed
 * rows; it counts as before them.
 */
const isTrimmedBehind = (position: string, first: string): boolean => {
  const { number: firstNumber } = parseLogPosition(first);
  const { number } = parseLogPosition(position);
  return firstNumber > 1 && number !== firstNumber - 1 && isAfter(first, position);
};

/**
 * Whether the log was restored from an older copy, which never contained the row of a position. Its
 * numbers are used again, but not with the same times.
 */
const isRewoundBehind = (position: string, { first, isThere }: EventRows): boolean => {
  const { number } = parseLogPosition(position);
  const belongsToRow = number > 0 && number < Number.MAX_SAFE_INTEGER;
  return belongsToRow && !isThere && number >= parseLogPosition(first).number;
};

/** The rows of one consistent read of the log. */
export interface EventRows {
  /** The rows after a position in a scope, at most `limit`. */
  readonly rows: readonly Fields[];
  readonly limit: number;
  /** The positions of the first and the last row of the log, of any scope. */
  readonly first: string;
  readonly last: string;
  /** Whether the log has the row of the position. */
  readonly isThere: boolean;
}

/**
 * The page after `position`. If it contains all events of its scope, the reader continues after the
 * last row of the log.
 */
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
