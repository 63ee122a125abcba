import { err, ok } from 'neverthrow';
import type { EntriesOutcome, HistorySlice } from '../../src/store/session-store.js';
import { NEVER } from '../shared/never.js';
import type { Call } from './connection.js';
import { type Answer, toStoreError, unknownReply, unreadable } from './failure.js';
import type { SessionKeys } from './keyspace.js';
import { readParts } from './read-sessions.js';
import { decodeHeader, decodeLines, type RecordHeader } from './record.js';

/** The position of a place in the history, in bytes without what was superseded. */
const positionAt = ({ pieces, bytes }: RecordHeader, place: number): number => {
  let left = place;
  for (const [from, upto] of pieces) {
    if (left <= upto - from) return from + left;
    left -= upto - from;
  }
  return bytes;
};

/** Whether a rewind has taken a position out of the history. */
const isSuperseded = ({ pieces }: RecordHeader, position: number): boolean =>
  position > 0 && !pieces.some(([from, upto]) => position >= from && position <= upto);

/** The slice in lines that begin at a place in the history; `undefined` if they cannot be read. */
const sliceIn = (
  header: RecordHeader,
  lines: string,
  start: number,
  { after, before }: HistorySlice,
): EntriesOutcome | undefined => {
  const texts = lines.split('\n');
  let place = start;
  const entries = decodeLines(lines)?.map((entry, at) => {
    place += Buffer.byteLength(texts[at] ?? '') + 1;
    return { ...entry, position: positionAt(header, place) };
  });
  if (entries === undefined || entries.length !== texts.length - 1) return undefined;
  const hasMore = place < header.shown;
  return {
    outcome: 'found',
    entries,
    start: after ?? (start === 0 ? 0 : positionAt(header, start)),
    position: before ?? (hasMore ? positionAt(header, place) : header.bytes),
    hasMore,
    isSuperseded: isSuperseded(header, after ?? before ?? 0),
    version: header.version,
  };
};

/** Reads a part of a history with one script. */
export const readEntries = async (
  call: Call,
  keys: SessionKeys,
  slice: HistorySlice,
): Answer<EntriesOutcome> => {
  const { after, before, limit, maxBytes = NEVER } = slice;
  const side = after === undefined ? 'before' : 'after';
  const args = [side, String(after ?? before ?? ''), String(limit), String(maxBytes), ''];
  const reply = await readParts(call, [keys.record, keys.journal], args);
  if (reply.isErr()) return err(toStoreError(keys, reply.error));
  if (typeof reply.value === 'number') return err(unknownReply.error);
  const [part = 'corrupt'] = reply.value;
  if (part === 'corrupt') return err(unreadable(keys));
  if (typeof part === 'string') return ok({ outcome: part });
  const [first = '', ranges = ''] = part.text.split('\n');
  const header = decodeHeader(first, ranges);
  const read = header && sliceIn(header, part.lines, part.start, slice);
  return read === undefined ? err(unreadable(keys)) : ok(read);
};
