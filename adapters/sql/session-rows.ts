import { err, ok, type Result } from 'neverthrow';
import {
  type CorruptRecord,
  corruptRecord,
  type TooLarge,
  tooLarge,
} from '../../src/session/errors.js';
import { type Fields, isFields } from '../../src/session/fields.js';
import type { SessionRecord, StateRecord } from '../../src/session/session-record.js';
import type { ReadSize, RecordPage } from '../../src/store/session-store.js';
import { unescapeName } from '../stored/escape-name.js';
import { NEVER } from '../stored/infinite-times.js';
import { bytesOf, decodeEntries, decodeHead, decodeState } from '../stored/json.js';
import { positionOf } from './page-query.js';

/** Approximate bytes of a session's JSON without its head, its state and its history. */
export const FRAME_BYTES = 300;

/** With a comma for each entry. */
export const bytesOfEntries = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + bytesOf(text) + 1, 0);

export const unreadable = (id: string, part: string): CorruptRecord =>
  corruptRecord(id, `this version does not know the format of its ${part}`);

/** Undefined if the state cannot be read. */
export const stateOf = (row: Fields): StateRecord | undefined =>
  decodeState(row['state'], {
    lastActivityAt: Number(row['last_activity']),
    revision: Number(row['revision']),
    askedAt: Number(row['asked_at']),
    inbox: Number(row['inbox']),
  });

export const stateIn = (
  id: string,
  row: Fields | undefined,
): Result<StateRecord | undefined, CorruptRecord> => {
  if (row === undefined) return ok(undefined);
  const state = stateOf(row);
  if (state === undefined) return err(unreadable(id, 'state'));
  return ok(state);
};

/** `length`: the number of entries in `history`. */
export const sessionIn = (row: Fields, length: number): Result<SessionRecord, CorruptRecord> => {
  const id = unescapeName(String(row['id']));
  const state = stateOf(row);
  if (state === undefined) return err(unreadable(id, 'state'));
  const head = decodeHead(id, row['head']);
  if (head === undefined) return err(unreadable(id, 'head'));
  const history = decodeEntries(row['history']);
  if (history?.length !== length) return err(unreadable(id, 'history'));
  const historyCount = Number(row['entries']);
  const sequence = Number(row['sequence']);
  const historyPosition = Number(row['position']);
  const historyVersion = historyVersionOf(row);
  return ok({ head, state, history, historyCount, sequence, historyVersion, historyPosition });
};

/** The record contains the latest entries of the history. */
export const sessionOf = (
  id: unknown,
  record: unknown,
  { historyLimit = NEVER }: ReadSize,
): Result<SessionRecord, CorruptRecord> => {
  if (!isFields(record)) return err(unreadable(unescapeName(String(id)), 'record'));
  return sessionIn(record, Math.min(historyLimit, Number(record['entries'])));
};

/** Fails if the sum of the column `size` is too large. */
export const checkedSize = (
  rows: readonly Fields[],
  size: ReadSize,
): Result<readonly Fields[], TooLarge> => {
  const bytes = rows.reduce((sum, row) => sum + Number(row['size']), 0);
  const refusal = tooLarge(size, bytes, rows.length);
  if (refusal !== undefined) return err(refusal);
  return ok(rows);
};

/**
 * `incarnation.redactions.rewinds`: a rewind takes a position and removes entries, so it raises the
 * difference between the last position and the number of entries; an append does not.
 */
export const historyVersionOf = ({ incarnation, redactions, position, entries }: Fields): string =>
  `${incarnation}.${redactions}.${Number(position) - Number(entries)}`;

/** `rows` contain one more row if there are sessions after the page. */
export const pageOf = (
  rows: readonly Fields[],
  sessions: readonly Result<SessionRecord, CorruptRecord>[],
  total: number,
): RecordPage => {
  const records: SessionRecord[] = [];
  const ids: string[] = [];
  for (const session of sessions) {
    if (session.isOk()) records.push(session.value);
    else ids.push(session.error.id);
  }
  const page = { records, unreadable: ids, total };
  const last = rows[sessions.length - 1];
  if (last === undefined || rows.length === sessions.length) return page;
  return { ...page, nextCursor: positionOf(last) };
};
