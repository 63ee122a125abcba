import { err, ok } from 'neverthrow';
import type { HistoryEntry, PositionedEntry } from '../../src/session/session.js';
import type { EntriesOutcome, HistorySlice } from '../../src/store/session-store.js';
import { type Call, script } from './connection.js';
import { type Answer, toStoreError, unreadable } from './failure.js';
import { decodeLines } from './journal.js';
import type { SessionKeys } from './keyspace.js';
import { field, isRecord, numberField, readHead } from './record.js';

/** Minimum number of bytes that one command reads. */
const MIN_BYTES = 16 * 1024;

/** Maximum number of bytes that one command reads, unless a single entry is longer: it blocks other commands. */
const MAX_BYTES = 1024 * 1024;

/**
 * Reads a piece of a journal, in bytes: it may begin or end within a line, or within a character. Its length is the
 * average size of the wanted number of entries, and a little more.
 *
 * KEYS  record, journal
 * ARGV  the beginning, or '' for a piece that ends at a position; that position or '' for the end; the number of
 *       entries that are wanted; the minimum and the maximum length
 * Returns {the piece, its beginning, its end, the committed length of the journal, birth, 1 if the
 * server counts bytes and 0 if it counts characters, as doubles do}, or 'missing', 'corrupt', or 'invalid_position' if no line
 * begins at the position.
 */
const partScript = script(`
${readHead('KEYS[1]').trim()}
if head == '' and redis.call('EXISTS', KEYS[2]) == 0 then return 'missing' end
if not ${isRecord('head')} then return 'corrupt' end
local length, entries = ${numberField('head', 'bytes')}, ${numberField('head', 'entries')}
if redis.call('STRLEN', KEYS[2]) < length then return 'corrupt' end
local from, upto = tonumber(ARGV[1]), tonumber(ARGV[2]) or length
local given = from or upto
if given > length or (given > 0 and redis.call('GETRANGE', KEYS[2], given - 1, given - 1) ~= '\\n') then return 'invalid_position' end
local wanted = entries > 0 and math.ceil(1.25 * length / entries * ARGV[3]) or 0
local size = math.max(tonumber(ARGV[4]), math.min(tonumber(ARGV[5]), wanted))
if from then upto = math.min(length, from + size) else from = math.max(0, upto - size) end
local text = upto > from and redis.call('GETRANGE', KEYS[2], from, upto - 1) or ''
return {text, from, upto, length, ${field('head', 'birth')}, #text == upto - from and 1 or 0}
`);

/** A piece of a journal, and facts about the whole journal. */
interface Part {
  readonly text: string;
  readonly from: number;
  readonly upto: number;
  readonly length: number;
  readonly birth: string;
  /** Length of a text in the journal, in the unit in which the server counts. */
  readonly lengthOf: (lines: string) => number;
}

const partOf = (reply: unknown): Part | undefined => {
  const [text, from, upto, length, birth, isBytes]: readonly unknown[] = Array.isArray(reply) ? reply : [];
  if (typeof text !== 'string' || typeof birth !== 'string') return undefined;
  const [begin, end, whole] = [Number(from), Number(upto), Number(length)];
  const lengthOf = (lines: string): number => (Number(isBytes) === 1 ? Buffer.byteLength(lines) : lines.length);
  return { text, from: begin, upto: end, length: whole, birth, lengthOf };
};

/** What remains to be read of a history. */
interface Wanted {
  /** Whether to read the latest entries before a position; otherwise the first ones after it. */
  readonly isBackward: boolean;
  readonly entries: number;
  /** Maximum number of bytes of the entries. The first entry is read even if it is larger. */
  readonly bytes: number;
  readonly hasNone: boolean;
}

/**
 * The wanted lines of a piece, and whether no more are needed. The piece begins or ends with a whole line; a line that
 * is cut at its other end is left out.
 */
const linesOf = ({ text, from }: Part, { isBackward, entries, bytes, hasNone }: Wanted) => {
  const lines = text.split('\n');
  if (!isBackward || text === '' || text.endsWith('\n')) lines.pop();
  if (isBackward && from > 0) lines.shift();
  if (isBackward) lines.reverse();
  let [count, length, isFull] = [0, 0, false];
  for (const line of lines) {
    length += Buffer.byteLength(line) + 1;
    isFull = count === entries || (length > bytes && !(hasNone && count === 0));
    if (isFull) break;
    count += 1;
  }
  const wanted = lines.slice(0, count);
  if (isBackward) wanted.reverse();
  return { lines: wanted.map((line) => `${line}\n`).join(''), isFull };
};

/** The entries of lines that begin at `start`, each with the end of its line. */
const positioned = (
  entries: readonly HistoryEntry[],
  lines: string,
  { lengthOf }: Part,
  start: number,
): readonly PositionedEntry[] => {
  const texts = lines.split('\n');
  let position = start;
  return entries.map((entry, at) => {
    position += lengthOf(`${texts[at]}\n`);
    return { ...entry, position };
  });
};

/**
 * Reads a part of a history, piece by piece. Lines are cut here, since the server knows neither entries nor characters.
 * If the session turns out to be removed between two pieces, the answer is that it is missing, even if another session
 * has its id now.
 */
export const readEntries = async (call: Call, session: SessionKeys, slice: HistorySlice): Answer<EntriesOutcome> => {
  const { after, before = '', limit, maxBytes = Number.POSITIVE_INFINITY } = slice;
  const isBackward = after === undefined;
  const found: (readonly PositionedEntry[])[] = [];
  let [count, span] = [0, 0];
  let place = isBackward ? ['', String(before)] : [String(after), ''];
  let first: Part | undefined;
  for (let least = MIN_BYTES; ; ) {
    const read = await readPart(call, session, place, limit - count, least, maxBytes);
    if (read.isErr()) return err(read.error);
    const part = read.value;
    if (typeof part === 'string') return ok({ outcome: first === undefined ? part : 'missing' });
    first ??= part;
    if (first.birth !== part.birth) return ok({ outcome: 'missing' });
    const wanted = { isBackward, entries: limit - count, bytes: maxBytes - span, hasNone: count === 0 };
    const { lines, isFull } = linesOf(part, wanted);
    const entries = decodeLines(lines);
    if (entries === undefined) return err(unreadable(session));
    count += entries.length;
    const length = part.lengthOf(lines);
    span += length;
    const at = isBackward ? part.upto - length : part.from + length;
    found.push(positioned(entries, lines, part, isBackward ? at : part.from));
    const isDone = isBackward ? at === 0 || count === limit : at === part.length;
    if (isFull || isDone) {
      const entries = (isBackward ? found.toReversed() : found).flat();
      if (!isBackward) return ok({ outcome: 'found', entries, start: first.from, position: at, hasMore: isFull });
      return ok({ outcome: 'found', entries, start: at, position: first.upto, hasMore: first.upto < first.length });
    }
    if (lines === '' && (isBackward ? part.from === 0 : part.upto === part.length)) return err(unreadable(session));
    least = lines === '' ? 4 * least : MIN_BYTES;
    place = isBackward ? ['', String(at)] : [String(at), ''];
  }
};

const readPart = async (
  call: Call,
  session: SessionKeys,
  place: readonly string[],
  wanted: number,
  least: number,
  maxBytes: number,
): Answer<Part | 'missing' | 'invalid_position'> => {
  const args = [...place, String(wanted), String(least), String(Math.min(MAX_BYTES, maxBytes))];
  const reply = await call.readScript(partScript, [session.record, session.journal], args);
  if (reply.isErr()) return err(toStoreError(session)(reply.error));
  if (reply.value === 'missing' || reply.value === 'invalid_position') return ok(reply.value);
  const part = partOf(reply.value);
  return part === undefined ? err(unreadable(session)) : ok(part);
};
